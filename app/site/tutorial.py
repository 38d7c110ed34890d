"""The commands of a tutorial: taken out of its pages, run, and compared with what the pages show. README.md says how pages are written.

    tutorial.py MYOTILE SOURCE FOLDER [TUTORIAL...]      runs tutorials (all, if none is named) in FOLDER/TUTORIAL, where they have
                                                     not run yet, and tells what is not as shown
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

TUTORIALS = ["cardiology", "architecture"]
_HERE = os.path.dirname(os.path.abspath(__file__))
_LENT = ["data", "app", "ipu"]  # folders of the source that commands see


class Step:
    """A block of commands, and the lines that its page shows of what they print."""

    def __init__(self, page, line, commands):
        self.page, self.line, self.commands, self.shown = page, line, commands, []


def pages(tutorial):
    folder = os.path.join(_HERE, tutorial)
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".md")]


def steps(tutorial):
    """The steps of all pages, in their order."""
    found = []
    for page in pages(tutorial):
        name, block, here = os.path.relpath(page, _HERE), None, []
        with open(page, encoding="utf-8") as file:
            for number, line in enumerate(file.read().splitlines(), 1):
                if block is None and line.startswith("```"):
                    block, lines, begin = line[3:], [], number
                elif block is not None and line == "```":
                    if block == "sh":
                        here.append(Step(name, begin, "\n".join(lines)))
                    elif block == "text":
                        if not here or here[-1].shown:
                            raise SystemExit(f"{name}:{begin}: shows what no block of sh before it prints")
                        here[-1].shown = lines
                    block = None
                elif block is not None:
                    lines.append((number, line) if block == "text" else line)
        if block is not None:
            raise SystemExit(f"{name}:{begin}: the block has no end")
        found += here
    return found


def printed(step, said):
    """The lines that were printed in the place of those shown, by the numbers of these; SystemExit where one was not."""
    lines, at, found = said.splitlines(), 0, {}
    for number, line in step.shown:
        if line.strip() in ("...", ""):
            continue
        pattern = re.compile(".*".join(re.escape(part) for part in line.rstrip().split("...")) + " *$")
        while at < len(lines) and not pattern.match(lines[at]):
            at += 1
        if at == len(lines):
            raise SystemExit(f"{step.page}:{number}: not printed, or not in this place: {line}\nwhat was printed:\n{said}")
        found[number] = lines[at].rstrip()
        at += 1
    return found


def run(program, source, tutorial, folder):
    """Runs the steps in a folder that is made anew, in place of an earlier run's; what each printed. The first that fails ends it."""
    release = os.path.join(folder, "build", "release")
    if os.path.isdir(folder) and not os.path.islink(release):
        raise SystemExit(f"{folder}: is there, and no tutorial ran in it; name another folder")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.dirname(release))
    os.symlink(os.path.dirname(os.path.abspath(program)), release)
    for name in _LENT:
        os.symlink(os.path.join(os.path.abspath(source), name), os.path.join(folder, name))
    environment = {**os.environ, "PATH": "/usr/bin:" + os.environ["PATH"], "MYOTILE": os.path.abspath(program), "LC_ALL": "C.UTF-8",
                   "PYTHONDONTWRITEBYTECODE": "1", "MPLBACKEND": "Agg", "XDG_CACHE_HOME": os.path.join(os.path.abspath(folder), "cache")}
    outputs = []
    for step in steps(tutorial):
        print(f"{step.page}:{step.line}", flush=True)
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", step.commands], cwd=folder, env=environment, encoding="utf-8",
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise SystemExit(f"{step.page}:{step.line}: exit code {done.returncode} of\n{step.commands}\nwhat was printed:\n{done.stdout}")
        outputs.append(done.stdout)
    return outputs


def digest(files, *words):
    """A sum of files (of a folder: all in it) and words, by which what was made of them is known to be of these."""
    total = hashlib.sha256("\0".join(words).encode())
    for path in files:
        inside = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names if not name.endswith(".pyc")]
        for each in sorted(inside) if os.path.isdir(path) else [path]:
            with open(each, "rb") as file:
                total.update(os.path.relpath(each, path).encode() + b"\0" + file.read())
    return total.hexdigest()


def kept(program, source, tutorial, folder):
    """What the steps print: of this run, or of an earlier one by the same program, of the same commands."""
    read = [os.path.join(source, name) for name in ("data", "app/python/myotile", "ipu/python", "ipu/examples")]
    key = digest([program, *read], *(step.commands for step in steps(tutorial)))
    said = os.path.join(folder, "said.json")
    if os.path.exists(said):
        with open(said, encoding="utf-8") as file:
            before = json.load(file)
        if before["key"] == key:
            return before["outputs"]
    outputs = run(program, source, tutorial, folder)
    with open(said, "w", encoding="utf-8") as file:
        json.dump({"key": key, "outputs": outputs}, file)
    return outputs


def check(tutorial, outputs):
    """The lines printed, by page and number; SystemExit, which names all that pages show and nothing printed."""
    found, wrong = {}, []
    for step, said in zip(steps(tutorial), outputs, strict=True):
        try:
            found.setdefault(step.page, {}).update(printed(step, said))
        except SystemExit as error:
            wrong.append(str(error))
    if wrong:
        raise SystemExit("\n\n".join(wrong))
    return found


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit("usage: tutorial.py MYOTILE SOURCE FOLDER [TUTORIAL...]")
    for each in sys.argv[4:] or TUTORIALS:
        check(each, kept(*sys.argv[1:3], each, os.path.join(sys.argv[3], each)))
