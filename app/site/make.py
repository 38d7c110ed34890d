"""Makes the site: runs what the tutorials and notebooks show, stages all pages, and calls Sphinx. README.md has the design.

    make.py MYOTILE SOURCE FOLDER      the site is FOLDER/html/index.html
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys

import links
import tutorial

# What the site is made with, by Debian's packages.
MODULES = {"sphinx": "python3-sphinx", "myst_parser": "python3-myst-parser", "furo": "furo"}
OF_NOTEBOOKS = {"nbconvert": "jupyter-nbconvert", "ipykernel": "python3-ipykernel", "pandas": "python3-pandas", "h5py": "python3-h5py",
                "matplotlib": "python3-matplotlib", "meshio": "python3-meshio"}
OF_TUTORIALS = {"numpy": "python3-numpy", "h5py": "python3-h5py", "pandas": "python3-pandas", "cffi": "python3-cffi"}
COPIED = (".yaml", ".json", ".csv", ".cff", ".obj", ".mmt")  # files of the source that a page may give away
EXTRA = "extra"  # what Sphinx copies as it is
_HERE = os.path.dirname(os.path.abspath(__file__))


def lacking():
    """Debian's packages that are needed and not here."""
    modules = {**MODULES, **OF_NOTEBOOKS, **OF_TUTORIALS}
    missing = [package for module, package in modules.items() if importlib.util.find_spec(module) is None]
    return missing + [name for name in ("mandoc", "gmsh") if shutil.which(name) is None]


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Stage:
    """The folder of pages that Sphinx reads."""

    def __init__(self, source, folder, runs, printed):
        self.source, self.folder, self.runs, self.printed = source, folder, runs, printed
        self.wrong = []
        self.names = {page: self.name(page) for page in links.markdown(source)}

    def name(self, page):
        """The page of the site that a page of the source becomes."""
        folder, file = os.path.split(page)
        inside = os.path.relpath(os.path.join(self.source, folder), _HERE)
        if inside == ".":
            return "site.md" if file == "README.md" else file
        if not inside.startswith(".."):
            return os.path.join(inside, file)
        words = [word for word in folder.split("/") if word] + ([] if file == "README.md" else [file[:-3]])
        return "-".join(words or ["myotile"]).lower() + ".md"

    def copy(self, path, to):
        os.makedirs(os.path.dirname(os.path.join(self.folder, to)), exist_ok=True)
        shutil.copyfile(path, os.path.join(self.folder, to))

    def target(self, page, link):
        """What stands in the place of a link's target; None: nothing, it becomes the name of a file."""
        here = os.path.dirname(self.names[page])
        path = os.path.normpath(os.path.join(os.path.dirname(page), link.path)) if link.path else page
        if path in self.names:
            if link.place in links.NAMED.findall(links.read(os.path.join(self.source, path))):
                return link.place  # for MyST a label, of which there is one on all pages
            place = f"#{link.place}" if link.place else ""
            return place if path == page else os.path.relpath(self.names[path], here) + place
        if link.path.startswith("made/"):
            of, made = os.path.dirname(os.path.relpath(os.path.join(self.source, page), _HERE)), link.path[5:]
            to = os.path.join("runs" if made.endswith(".html") else "made", of, made)
            self.copy(os.path.join(self.runs, of, made), os.path.join(EXTRA, to) if made.endswith(".html") else to)
            return os.path.relpath(to, here)
        if link.picture or path.endswith(COPIED):
            self.copy(os.path.join(self.source, path), os.path.join("files", path))
            return os.path.relpath(os.path.join("files", path), here)
        if not os.path.exists(os.path.join(self.source, path)):
            raise FileNotFoundError
        return None

    def said(self, page, link):
        """What stands in the place of a link."""
        target = self.target(page, link)
        if target is None:
            name = os.path.normpath(os.path.join(os.path.dirname(page), link.path))
            return link.words if "`" in link.words else f"{link.words} (`{name}`)"
        if target.endswith(".html"):  # a report is opened; to Sphinx it would be a download
            return f'<a href="{target}">{link.words}</a>'
        return f"{'!' * link.picture}[{link.words}]({target})"

    def text(self, page):
        """The text of a page of the source, and where it shows what commands print, the lines that they printed."""
        lines = links.read(os.path.join(self.source, page)).split("\n")
        for number, line in self.printed.get(os.path.relpath(os.path.join(self.source, page), _HERE), {}).items():
            lines[number - 1] = line
        return "\n".join(lines)

    def page(self, page):
        """The text of a page of the site."""
        text, parts, at = self.text(page), [], 0
        for link in links.links(text):
            if link.outside:
                continue
            try:
                parts += [text[at:link.start], self.said(page, link)]
                at = link.end
            except OSError:
                self.wrong.append(f"{page}:{link.line}: {link.target}: no such file")
        return links.NAMED.sub(r"(\1)=\n", "".join(parts) + text[at:])

    def pages(self):
        for page, name in self.names.items():
            write(os.path.join(self.folder, name), self.page(page))
        if self.wrong:
            raise SystemExit("\n".join(self.wrong))


def manual(program):
    """The manual page, as mandoc shows it: its sections are sections of a page."""
    text = subprocess.run([program, "--manual"], check=True, stdout=subprocess.PIPE).stdout
    html = subprocess.run(["mandoc", "-T", "html", "-O", "fragment"], input=text, check=True, stdout=subprocess.PIPE).stdout.decode()
    html = re.sub(r'<a class="permalink" href="[^"]*">(.*?)</a>', r"\1", html, flags=re.DOTALL)
    html = re.sub(r'<table class="(head|foot)">.*?</table>|</?section[^>]*>|</?div[^>]*>| id="[^"]*"', "", html, flags=re.DOTALL)
    made, at = ["# The manual page\n\n`man myotile` shows the same where Myotile is installed; elsewhere `myotile --manual | man -l -` does.\n"], 0
    for heading in re.finditer(r"<h([12])[^>]*>(.*?)</h\1>", html, flags=re.DOTALL):
        made.append(raw(html[at:heading.start()]))
        words = " ".join(re.sub(r"<[^>]*>", "", heading.group(2)).split())
        made.append(f"{'#' * (int(heading.group(1)) + 1)} {words if heading.group(1) == '1' else f'`{words}`'}\n")
        at = heading.end()
    return "\n".join(made + [raw(html[at:])])


def raw(html):
    return f"````{{raw}} html\n{html.strip()}\n````\n" if html.strip() else ""


def notebooks(program, source, folder):
    """The notebooks as pages, with what they print and draw: of this run, or of an earlier one of the same."""
    package = os.path.join(source, "app", "python")
    key = tutorial.digest([program, os.path.join(package, "myotile"), os.path.join(package, "notebooks")])
    if os.path.exists(os.path.join(folder, "key")) and links.read(os.path.join(folder, "key")) == key:
        return
    shutil.rmtree(folder, ignore_errors=True)
    environment = {**os.environ, "MYOTILE": program, "PYTHONPATH": package, "PYTHONDONTWRITEBYTECODE": "1", "HOME": folder,
                   "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    scripts = os.path.join(package, "notebooks")
    for name in sorted(file[:-3] for file in os.listdir(scripts) if file.endswith(".py")):
        print(f"app/python/notebooks/{name}.py", flush=True)
        work = os.path.join(folder, "work", name)
        os.makedirs(work)
        call = {"env": {**environment, "TMPDIR": work}, "check": True, "cwd": folder}
        subprocess.run([sys.executable, "-m", "myotile.notebook", os.path.join(scripts, f"{name}.py"), f"{name}.ipynb"], **call)
        subprocess.run(["/usr/bin/jupyter-nbconvert", "--log-level", "WARN", "--execute", "--to", "markdown", f"{name}.ipynb"], **call)
        text = links.read(os.path.join(folder, f"{name}.md"))
        write(os.path.join(folder, f"{name}.md"), re.sub(re.escape(work) + r"/[^/\s]+", "FOLDER", text))
    write(os.path.join(folder, "key"), key)


def stage(program, source, folder):
    """Runs what is shown, unless it has run, and puts all pages into the folder that Sphinx reads."""
    runs, made, staged = (os.path.join(folder, name) for name in ("runs", "notebooks", "pages"))
    printed = {}
    for each in tutorial.TUTORIALS:
        printed.update(tutorial.check(each, tutorial.kept(program, source, each, os.path.join(runs, each))))
    notebooks(program, source, made)
    shutil.rmtree(staged, ignore_errors=True)
    Stage(source, staged, runs, printed).pages()
    shutil.copytree(made, os.path.join(staged, "notebooks"),
                    ignore=lambda _, names: [name for name in names if not name.endswith((".md", "_files", ".png"))])
    write(os.path.join(staged, "manual.md"), manual(program))
    shutil.copyfile(os.path.join(_HERE, "conf.py"), os.path.join(staged, "conf.py"))
    return staged


def main(program, source, folder):
    missing = lacking()
    if missing:
        raise SystemExit(f"the site needs Debian's {', '.join(sorted(set(missing)))}: .ci/install site")
    program, source, folder = (os.path.abspath(path) for path in (program, source, folder))
    os.makedirs(folder, exist_ok=True)
    staged, html = stage(program, source, folder), os.path.join(folder, "html")
    shutil.rmtree(html, ignore_errors=True)
    version = subprocess.run([program, "--version"], check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout.split()[1]
    done = subprocess.run([sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "-D", f"release={version}",
                           "-d", os.path.join(folder, "doctrees"), staged, html])
    if done.returncode != 0:
        raise SystemExit("the site has faults: see above")
    print(f"the site: {os.path.join(html, 'index.html')}")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: make.py MYOTILE SOURCE FOLDER")
    main(*sys.argv[1:])
