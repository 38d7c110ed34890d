"""Links of Markdown: the findings of app/site/links.py, and the targets of all links in the source tree.

    links.py SOURCE [unittest's options]
"""

import os
import sys
import tempfile
import unittest

SOURCE = os.path.abspath(sys.argv[1])
sys.path.insert(0, os.path.join(SOURCE, "app", "site"))
import links  # noqa: E402, it is in the source tree


class LinksTest(unittest.TestCase):
    def lost(self, **pages):
        """Returns the faults in a source tree with these pages and a file `data.csv`."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**pages, "data": None}.items():
                with open(os.path.join(folder, f"{name}.md" if text else "data.csv"), "w", encoding="utf-8") as file:
                    file.write(text or "1\n")
            return list(links.lost(folder))

    def test_every_link_of_the_source_leads_somewhere(self):
        self.assertEqual(list(links.lost(SOURCE)), [])

    def test_all_pages_of_the_source_are_looked_at(self):
        pages = list(links.markdown(SOURCE))
        for page in ("README.md", "CONTRIBUTING.md", "data/cases/README.md", "app/site/index.md", "app/site/cardiology/1-first-wave.md"):
            self.assertIn(page, pages)
        self.assertGreater(sum(len(links.links(links.read(os.path.join(SOURCE, page)))) for page in pages), 150)

    def test_a_file_that_is_not_there_is_named_with_its_place(self):
        self.assertEqual(self.lost(a="# A\n\nsee\n[that\none](b.md)\n"), ["a.md:4: b.md: no such file"])

    def test_a_heading_that_is_not_there_is_named_with_those_that_are(self):
        self.assertEqual(self.lost(a="# A b, c\n\n[x](#a-b-d)\n"), ["a.md:3: #a-b-d: no such heading; there are: a-b-c"])
        self.assertEqual(self.lost(a="# A\n\n[x](b.md#two)\n", b="# One\n"), ["a.md:3: b.md#two: no such heading; there are: one"])

    def test_headings_links_and_named_places_are_found(self):
        self.assertEqual(self.lost(a="# The `run` (2 x)\n## Same\n## Same\n<a name=\"n\"></a>\n\n[`a`](#the-run-2-x) [b](#same-1) [c](#n)\n"
                                     "![d](data.csv) [e](https://x.org/y)\n"), [])

    def test_code_has_no_links_and_no_headings(self):
        self.assertEqual(self.lost(a="# A\n\n```\n[x](no)\n# B\n```\n\n    [y](no)\n\n`[z](no)` ``[`z`](no)``\n"), [])
        self.assertEqual(len(self.lost(a="# A\n\n```\n# B\n```\n\n[x](#b)\n")), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
