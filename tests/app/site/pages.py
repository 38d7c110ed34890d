"""The site, as readers open it: built without a warning, and shown by Chromium from a folder, without a network.

    pages.py MYOTILE SOURCE FOLDER CHROMIUM CHROMEDRIVER [unittest's options]      MYOTILE_SCREENSHOTS: a folder for pictures of pages
"""

import html.parser
import json
import os
import subprocess
import sys
import unittest
import urllib.parse

MYOTILE, SOURCE, FOLDER, CHROMIUM, CHROMEDRIVER = (os.path.abspath(path) for path in sys.argv[1:6])
SCREENSHOTS = os.environ.get("MYOTILE_SCREENSHOTS")
sys.path[:0] = [os.path.join(SOURCE, "app", "site"), os.path.join(SOURCE, "tests", "app", "report")]
import make  # noqa: E402, it is in the source tree
from browser import Browser  # noqa: E402

if make.lacking():
    print(f"SKIPPED: {', '.join(make.lacking())} is not installed (.ci/install site)")
    sys.exit(0)
HTML = os.path.join(FOLDER, "html")


class Page(html.parser.HTMLParser):
    """The links, the loaded resources and the anchors of a page."""

    def __init__(self, path):
        super().__init__()
        self.leads, self.loads, self.places = [], [], set()
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.places |= {values[name] for name in ("id", "name") if values.get(name)}
        if tag == "a" and values.get("href"):
            self.leads.append(values["href"])
        elif tag == "link" and values.get("rel") in ("stylesheet", "icon", "preload"):
            self.loads.append(values["href"])
        elif values.get("src"):
            self.loads.append(values["src"])


class PagesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        subprocess.run([sys.executable, "-B", os.path.join(SOURCE, "app", "site", "make.py"), MYOTILE, SOURCE, FOLDER], check=True)
        files = [os.path.join(folder, name) for folder, _, names in os.walk(HTML) for name in names]
        cls.paths = sorted(path for path in files if path.endswith(".html") and not path.startswith(os.path.join(HTML, "runs")))
        cls.pages = {path: Page(path) for path in cls.paths}
        cls.browser = Browser(CHROMEDRIVER, CHROMIUM)
        cls.browser.window(1300, 1000)

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()

    def asked(self):
        """Returns the addresses that the browser requested since the last call."""
        messages = (json.loads(entry["message"])["message"] for entry in self.browser.log("performance"))
        return [each["params"]["request"]["url"] for each in messages if each["method"] == "Network.requestWillBeSent"]

    def test_all_pages_are_there(self):
        names = {os.path.relpath(path, HTML)[:-5] for path in self.paths}
        for name in ("myotile", "data-cases", "data-machines", "manual", "app-python", "notebooks/heart", "cardiology/6-own-data",
                     "architecture/6-own-machine", "contributing"):
            self.assertIn(name, names)

    def test_every_link_within_the_site_leads_to_a_file_and_a_place_in_it(self):
        checked = 0
        for path, page in self.pages.items():
            for target in page.leads + page.loads:
                parts = urllib.parse.urlsplit(target)
                if parts.scheme or parts.netloc:
                    continue
                file = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(parts.path))) if parts.path else path
                self.assertTrue(os.path.isfile(file), f"{path}: {target}")
                if parts.fragment and file in self.pages:
                    self.assertIn(urllib.parse.unquote(parts.fragment), self.pages[file].places | {""}, f"{path}: {target}")
                checked += 1
        self.assertGreater(checked, 1000)

    def test_no_page_asks_the_network_for_anything(self):
        for path, page in self.pages.items():
            self.assertEqual([each for each in page.loads if urllib.parse.urlsplit(each).scheme not in ("", "data")], [], path)
            self.asked()
            self.browser.log("browser")
            self.browser.open(path)
            asked = self.asked()
            self.assertTrue(asked, path)
            self.assertEqual([url for url in asked if not url.startswith(("file:", "data:"))], [], path)
            self.assertEqual([entry for entry in self.browser.log("browser") if entry["level"] == "SEVERE"], [], path)
            if SCREENSHOTS:
                os.makedirs(SCREENSHOTS, exist_ok=True)
                self.browser.picture(os.path.join(SCREENSHOTS, os.path.relpath(path, HTML).replace("/", "-") + ".png"))

    def test_every_picture_is_shown(self):
        for path in self.paths:
            self.browser.open(path)
            broken = self.browser.run("return [...document.images].map(i => [i.loading = 'eager', i]) && Promise.all([...document.images].map("
                                      "i => i.decode().then(() => null, () => i.src))).then(all => all.filter(Boolean))")
            self.assertEqual(broken, [], path)

    def search(self, words):
        self.asked()
        self.browser.open(os.path.join(HTML, f"search.html?q={words}"))
        self.browser.wait("return /Search finished|did not match/.test(document.querySelector('#search-results').textContent)")
        self.assertEqual([url for url in self.asked() if not url.startswith(("file:", "data:"))], [])
        return self.browser.run("return [...document.querySelectorAll('#search-results a')].map(a => a.getAttribute('href').split('?')[0])")

    def test_the_search_finds_what_is_there_and_nothing_else(self):
        self.assertTrue(any(found.startswith("cardiology/5-repolarisation.html") for found in self.search("restitution+flecainide")))
        self.assertTrue(any(found.startswith("data-cases.html") for found in self.search("spreading")))
        self.assertTrue(any(found.startswith("manual.html") for found in self.search("truncated+ellipsoids")))
        self.assertEqual(self.search("xyzzyplugh"), [])

    def test_the_manual_page_has_no_faults(self):
        text = subprocess.run([MYOTILE, "--manual"], check=True, stdout=subprocess.PIPE).stdout
        found = subprocess.run(["mandoc", "-T", "lint", "-W", "warning"], input=text, stdout=subprocess.PIPE).stdout.decode().splitlines()
        self.assertEqual([line for line in found if "missing date" not in line], [])  # a version replaces the date

    def test_a_page_has_what_was_printed_and_a_link_that_leads_nowhere_is_named(self):
        stage = make.Stage(SOURCE, os.path.join(FOLDER, "nowhere"), os.path.join(FOLDER, "runs"), {"index.md": {1: "# B"}})
        page = os.path.join("app", "site", "index.md")
        read, make.links.read = make.links.read, lambda path: "# A\n\n[x](made/no.png) [y](../no.c) [z](make.py)\n"
        try:
            self.assertEqual(stage.page(page), "# B\n\n[x](made/no.png) [y](../no.c) z (`app/site/make.py`)\n")
        finally:
            make.links.read = read
        self.assertEqual(stage.wrong, [f"{page}:3: made/no.png: no such file", f"{page}:3: ../no.c: no such file"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[6:])
