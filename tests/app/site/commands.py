"""The tutorials of app/site, followed like a reader does: every command runs, and its output agrees with its page.

    commands.py MYOTILE SOURCE FOLDER [unittest's options]      FOLDER: for the files of the commands, used by the site
"""

import importlib.util
import os
import re
import shutil
import sys
import unittest

MYOTILE, SOURCE, FOLDER = (os.path.abspath(path) for path in sys.argv[1:4])
sys.path.insert(0, os.path.join(SOURCE, "app", "site"))
import tutorial  # noqa: E402, it is in the source tree

lacking = [name for name in ("numpy", "h5py", "pandas", "cffi") if importlib.util.find_spec(name) is None]
if lacking or shutil.which("gmsh") is None:
    print(f"SKIPPED: {', '.join(lacking) or 'gmsh'} is not installed (.ci/install site)")
    sys.exit(0)


class CommandsTest(unittest.TestCase):
    def follow(self, name):
        folder = os.path.join(FOLDER, name)
        if os.path.exists(os.path.join(folder, "said.json")):
            os.remove(os.path.join(folder, "said.json"))  # left by an earlier run
        tutorial.check(name, tutorial.kept(MYOTILE, SOURCE, name, folder))

    def test_the_cardiologists_tutorial_runs_and_prints_what_it_shows(self):
        self.follow("cardiology")

    def test_the_architects_tutorial_runs_and_prints_what_it_shows(self):
        self.follow("architecture")

    def test_a_tutorial_has_short_pages_that_lead_from_one_to_the_next(self):
        for name in tutorial.TUTORIALS:
            pages = tutorial.pages(name)
            self.assertEqual([os.path.basename(page)[0] for page in pages], [str(k + 1) for k in range(len(pages))])
            for page, following in zip(pages, pages[1:] + [None]):
                with open(page, encoding="utf-8") as file:
                    text = file.read()
                self.assertLess(text.count("\n"), 120, page)
                self.assertIn("**Goal:**", text, page)
                self.assertTrue(following is None or re.search(rf"^Next: \[.*\]\({os.path.basename(following)}\)\.$", text, re.M), page)

    def test_every_block_of_a_page_is_run_or_shows_what_one_prints(self):
        for name in tutorial.TUTORIALS:
            for page in tutorial.pages(name):
                with open(page, encoding="utf-8") as file:
                    text = file.read()
                # bash: commands with data that are not included
                self.assertLessEqual(set(re.findall(r"^```(\w*)$", text, re.M)) - {""}, {"sh", "text", "bash"}, page)
                self.assertNotRegex(text, r"\n\n {4,}", page)  # indented blocks would not be run

    def test_what_is_not_printed_is_found(self):
        step = tutorial.Step("page.md", 1, "")
        step.shown = [(7, "a ... c"), (8, "..."), (9, "d")]
        self.assertEqual(tutorial.printed(step, "0\na b c  \nx\ny\nd\n"), {7: "a b c", 9: "d"})
        for said in ("a b c\nx\n", "d\na b c\n", "a b d\nd\n", "a b c x\nd\n", ""):
            with self.assertRaisesRegex(SystemExit, "page.md:[79]: not printed"):
                tutorial.printed(step, said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
