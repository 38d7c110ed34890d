"""Reports in Debian's Chromium, used like a reader does: the page shows its data, sends nothing, and never interprets text of a report as
markup.

    page.py SOURCE CHROMIUM CHROMEDRIVER MYOTILE [unittest's options]      MYOTILE_SCREENSHOTS: a folder for pictures of what was seen
"""

import csv
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
import time
import unittest

try:
    import numpy as np
except ImportError:
    print("SKIPPED: python3-numpy is not installed (.ci/install slow)")
    sys.exit(0)

import example
from browser import Browser

SOURCE, CHROMIUM, CHROMEDRIVER, MYOTILE = (os.path.abspath(path) for path in sys.argv[1:5])
SCREENSHOTS = os.environ.get("MYOTILE_SCREENSHOTS")
HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=2>&lt;"
RIGHT, END = "\ue014", "\ue010"


def template():
    with open(os.path.join(SOURCE, "data/report/template.html"), encoding="utf-8") as file:
        return file.read()


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.browser = Browser(CHROMEDRIVER, CHROMIUM)
        cls.browser.window(1440, 1000)
        cls.page = example.make(template())
        cls.path = cls.write("report.html", cls.page)

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        cls.folder.cleanup()

    @classmethod
    def write(cls, name, text):
        path = os.path.join(cls.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def setUp(self):
        self.browser.dark(False)
        self.browser.window(1440, 1000)
        self.browser.log("performance")  # discards earlier entries
        self.browser.log("browser")
        self.browser.open(self.path)
        self.assertIsNone(self.ready("heart"))

    def tearDown(self):
        if SCREENSHOTS:
            os.makedirs(SCREENSHOTS, exist_ok=True)
            self.browser.picture(os.path.join(SCREENSHOTS, f"{self._testMethodName}.png"))

    # ---- actions and observations ----

    def ready(self, tab):
        return self.browser.run("return myotile.ready(arguments[0])", tab)

    def tab(self, name):
        self.browser.click(f"#tab-{name}")
        self.assertIsNone(self.ready(name))

    def hook(self, name, *values):
        return self.browser.run(f"return myotile.{name}(...arguments)", *values)

    def choose(self, label, value):
        """Chooses a value of the select with this label."""
        self.choose_in("body", label, value)

    def choose_in(self, place, label, value):
        """Same, within a part of the page."""
        self.browser.run(
            "const label = [...document.querySelector(arguments[0]).querySelectorAll('label')].find((l) => l.textContent === arguments[1]);"
            "const select = document.getElementById(label.htmlFor); select.value = arguments[2];"
            "select.dispatchEvent(new Event('change'))", place, label, value)

    def box(self, selector):
        """Returns the box of an element once it no longer moves: scroll bars and plots change the layout after loading."""
        before = None
        for _ in range(50):
            now = self.box_now(selector)
            if now == before:
                break
            before = now
            time.sleep(0.1)
        return now

    def box_now(self, selector):
        return self.browser.run("const b = document.querySelector(arguments[0]).getBoundingClientRect(); return [b.x, b.y, b.width, b.height]", selector)

    def click_at(self, x, y):
        self.browser.pointer(("to", x, y), ("down",), ("up",))

    def pixel(self, place):
        return self.hook("pixels", [self.hook("project", list(place))])[0]

    # ---- tests ----

    def test_nothing_is_requested_and_no_rule_is_broken(self):
        for name in ["traces", "machine", "compare", "run", "heart"]:
            self.tab(name)
        urls = [entry["message"] for entry in self.browser.log("performance") if '"Network.requestWillBeSent"' in entry["message"]]
        elsewhere = [url for url in urls if '"url":"http' in url or '"url":"ws' in url]
        self.assertEqual(elsewhere, [])
        self.assertEqual(self.browser.run("return performance.getEntriesByType('resource').map((e) => e.name)"), [])
        self.assertEqual(self.hook("violations"), [])
        self.assertEqual([e["message"] for e in self.browser.log("browser") if e["level"] == "SEVERE"], [])

    def test_a_picture_from_elsewhere_would_be_refused_and_seen(self):
        self.browser.run("document.body.append(Object.assign(new Image(), { src: 'http://127.0.0.1:9/x.png' }))")
        self.browser.wait("return myotile.violations().length > 0")
        self.assertEqual(self.hook("violations"), ["img-src"])

    def test_words_of_a_report_never_become_script_or_markup(self):
        page = example.make(template(), title=HOSTILE, runs=1).replace("2 elements have a limited gradient.", HOSTILE.replace("<", "\\u003c"))
        self.browser.open(self.write("hostile.html", page))
        self.assertIsNone(self.ready("heart"))
        self.tab("run")
        time.sleep(0.2)
        self.assertIsNone(self.browser.run("return window.hacked ?? null"))
        self.assertEqual(self.browser.run("return document.querySelector('h1').textContent"), HOSTILE)
        self.assertEqual(self.browser.run("return document.title"), HOSTILE)
        self.assertEqual(self.browser.run("return document.querySelectorAll('img').length"), 0)
        self.assertEqual(self.browser.run("return document.querySelector('#panel-run li').textContent"), HOSTILE)

    def test_a_script_that_is_not_the_pages_own_does_not_run(self):
        self.browser.open(self.write("planted.html", self.page.replace("<footer>", "<script>window.hacked=1</script><footer>")))
        self.assertIsNone(self.ready("heart"))
        self.assertIsNone(self.browser.run("return window.hacked ?? null"))

    def test_every_vertex_has_the_value_that_was_put_in(self):
        counts = self.hook("counts")
        step = 100 / 65534
        for vertex in range(0, counts["vertices"], counts["vertices"] // 25):
            place, shown = self.hook("position", vertex), self.hook("value", vertex)
            expected = float(example.activation_ms(place))
            if math.isnan(expected):
                self.assertIsNone(shown)
            else:
                self.assertAlmostEqual(shown, expected, delta=0.01 + step)

    def test_a_click_in_the_middle_shows_the_element_and_its_values(self):
        x, y, w, h = self.box(".stage")
        self.click_at(x + w / 2, y + h / 2)
        self.browser.wait("return document.querySelectorAll('.picked .values tr').length === 4")
        picked = self.hook("picked")
        self.assertEqual(picked["element"], 7 * picked["triangle"] + 3)
        self.assertIn(f"Element {picked['element']:,}", self.browser.text(".picked h2"))
        cells = self.browser.run("return [...document.querySelectorAll('.picked td.number')].map((c) => c.textContent)")
        # The value of the element is that of its centre, at most half an edge of a triangle from the click.
        self.assertAlmostEqual(float(cells[0]), float(example.activation_ms(picked["at"])), delta=3 / 0.7)
        position, triangle = example.Bowl(60, 28, 4).surface()
        centre = position[triangle].mean(1)[picked["triangle"]]
        self.assertAlmostEqual(float(cells[0]), float(example.activation_ms(centre)), delta=0.01)
        self.assertAlmostEqual(float(cells[1]), float(example.apd_ms(centre)), delta=0.01)

    def test_a_click_near_a_trace_shows_it(self):
        self.hook("ready", "heart")
        x, y, _, _ = self.box(".stage canvas")
        at = self.hook("project", [-24.6, -16.7, 0])
        self.click_at(x + at[0], y + at[1])
        self.browser.wait("return document.querySelectorAll('.picked .u-over').length === 2")
        self.assertIn("Trace of P2", self.browser.text(".picked h3"))

    def test_a_click_outside_the_heart_clears_the_values(self):
        x, y, _, _ = self.box(".stage")
        self.click_at(x + 5, y + 5)
        self.browser.wait("return myotile.picked() === null")
        self.assertIn("Click the surface", self.browser.text(".picked"))

    def test_the_slider_shows_v_at_its_time(self):
        self.choose("Colour by", "frames")
        self.browser.wait("return myotile.shown().kind === 'frames'")
        x, y, w, h = self.box(".time input")
        self.browser.pointer(("to", x + 8, y + h / 2), ("down",), ("to", x + w / 4, y + h / 2), ("up",))
        shown = self.hook("shown")
        times = np.linspace(0, 400, 40)
        self.assertGreater(shown["time_ms"], 50)
        self.assertIn(f"{shown['time_ms']:.2f}"[:4], self.browser.text(".clock"))
        self.browser.type(".time input", RIGHT)
        later = self.hook("shown")["time_ms"]
        self.assertAlmostEqual(later - shown["time_ms"], times[1], delta=1e-6)
        for vertex in [0, 700, 2000]:
            expected = float(example.v_mV(self.hook("position", vertex), later))
            self.assertAlmostEqual(self.hook("value", vertex), expected, delta=1.5 * 115 / 254)

    def test_play_continues_and_pause_stops(self):
        self.choose("Colour by", "frames")
        self.browser.wait("return myotile.shown().kind === 'frames'")
        self.browser.click("button.play")
        self.browser.wait("return myotile.shown().time_ms > 20")
        self.browser.click("button.play")
        time_ms = self.hook("shown")["time_ms"]
        time.sleep(0.6)
        self.assertEqual(self.hook("shown")["time_ms"], time_ms)

    def test_the_table_next_to_the_picture_has_minimum_median_and_maximum(self):
        position, triangle = example.Bowl(60, 28, 4).surface()
        own = example.activation_ms(position[triangle].mean(1))
        cells = self.browser.run("return [...document.querySelectorAll('.heart-right table')[0].querySelectorAll('td')].map((c) => c.textContent)")
        for cell, expected in zip(cells, [np.nanmin(own), np.nanmedian(own), np.nanmax(own)]):
            self.assertAlmostEqual(float(cell), float(expected), delta=0.005)
        self.assertIn(f"{int(np.isnan(own).sum())} of {len(own):,} triangles have no value", self.browser.text(".heart-right"))

    def test_colours_follow_the_value_and_what_has_none_is_grey(self):
        self.browser.click(".controls .check input")  # isochrones off
        self.assertEqual(self.hook("shown")["lineStep"], 0)
        low, high = self.pixel([12, -25.5, -22]), self.pixel([10, -27.9, 10])
        self.assertGreater(low[2], low[1], f"early is blue: {low}")
        self.assertGreater(high[1], high[2] + 60, f"late is yellow or green: {high}")
        self.browser.click("button[aria-label='View from +y']")
        time.sleep(0.3)
        grey = self.pixel([0, 29.8, 5])
        self.assertEqual(max(grey[:3]), min(grey[:3]), f"no value is grey: {grey}")

    def test_the_range_of_the_colours_can_be_set(self):
        self.browser.click(".controls .check input")
        before = self.pixel([10, -27.9, 10])
        self.browser.run(
            "const [low, high] = document.querySelectorAll('.bar-row input'); low.value = '90'; high.value = '200';"
            "high.dispatchEvent(new Event('change'))")
        self.assertEqual(self.hook("shown")["range"], [90, 200])
        after = self.pixel([10, -27.9, 10])
        self.assertGreater(before[1], after[1] + 40, "what was late is early in a later range")

    def test_isochrones_are_as_far_apart_as_their_step(self):
        def lines():
            """Counts the dark lines between 20.5 and 69.5 ms along a meridian on which the time depends on z only."""
            places = []
            for z in np.arange(-45 + 0.7 * 15.5, -45 + 0.7 * 64.5, 0.02):
                places.append(self.hook("project", [0, -30 * math.sqrt(1 - (z / 45) ** 2), float(z)]))
            dark = [max(p[:3]) < 100 for p in self.hook("pixels", places)]
            return sum(b and not a for a, b in zip(dark, dark[1:]))

        self.hook("ready", "heart")
        self.browser.click("button[aria-label='View from −y']")
        self.browser.run("for (const box of document.querySelectorAll('.controls [aria-label=Shown] input:checked')) box.click()")
        self.set_step("10")
        self.assertEqual(lines(), 4)  # 30, 40, 50 and 60
        self.set_step("5")
        self.assertEqual(lines(), 9)  # 25, 30, ... 65

    def set_step(self, step):
        self.browser.run("const s = document.querySelector('[aria-label=\"Interval of the lines\"]'); s.value = arguments[0]; s.dispatchEvent(new Event('input'))", step)

    def test_a_cut_has_the_area_of_the_wall_and_hides_what_is_beyond(self):
        self.choose("Cutting plane", "z")
        self.browser.wait("return myotile.cut() !== null")
        self.browser.run("const s = document.querySelector('[aria-label=\"Position of the cutting plane\"]'); s.value = -10; s.dispatchEvent(new Event('input'))")
        ring = lambda wide, tall: math.pi * wide**2 * (1 - (10 / tall) ** 2)
        polygon = math.sin(2 * math.pi / 36) * 36 / (2 * math.pi)  # ratio of the areas of a 36-gon and its circle
        self.assertAlmostEqual(self.hook("cut")["area_mm2"] / (polygon * (ring(30, 45) - ring(19, 34))), 1, delta=0.015)
        self.assertEqual(self.pixel([10, -27.9, 10])[3], 0, "what is beyond the plane is not drawn")
        self.assertEqual(self.pixel([10, -26, -20])[3], 255)

    def test_a_click_on_the_cut_face_interpolates(self):
        self.choose("Cutting plane", "x")
        self.browser.wait("return myotile.cut() !== null")
        self.browser.click("button[aria-label='View from +x']")
        x, y, _, _ = self.box(".stage canvas")
        at = self.hook("project", [0, -24.5, 0])
        self.click_at(x + at[0], y + at[1])
        self.browser.wait("return myotile.picked()?.inside === true")
        picked = self.hook("picked")
        self.assertAlmostEqual(picked["at"][0], 0, delta=0.01)
        self.assertAlmostEqual(picked["values"][0]["value"], float(example.activation_ms(picked["at"])), delta=1.0)

    def test_v_is_shown_on_the_cut_face_at_its_time(self):
        self.choose("Colour by", "frames")
        self.choose("Cutting plane", "x")
        self.browser.wait("return myotile.cut() !== null")
        self.browser.click("button[aria-label='View from +x']")
        x, y, _, _ = self.box(".stage canvas")
        at = self.hook("project", [0, -24.5, 0])
        self.click_at(x + at[0], y + at[1])
        self.browser.wait("return myotile.picked()?.inside === true")
        place, seen = self.hook("picked")["at"], []
        for frame in [0, 12, 28, 34, 39]:  # at rest, excited, and while it repolarises
            self.browser.run("const s = document.querySelector('.time input'); s.value = arguments[0]; s.dispatchEvent(new Event('input'))", frame)
            shown = self.hook("shown")["time_ms"]
            expected = float(example.v_mV(place, shown))
            # an error of 1 ms in the activation is 2 mV during repolarisation; 115/254 mV is a step of the stored values
            self.assertAlmostEqual(self.hook("picked")["voltage"], expected, delta=2 + 115 / 254, msg=f"frame {frame}")
            self.assertIn(f"V at {shown:.5g} ms", self.browser.text(".picked"))
            seen.append((expected, tuple(self.hook("pixels", [at])[0])))
        self.assertGreater(max(seen)[0] - min(seen)[0], 60)
        self.assertNotEqual(max(seen)[1], min(seen)[1], "colours of the cut face follow V")

    def test_surfaces_are_shown_by_name(self):
        self.choose("Colour by", "named 0")
        self.browser.wait("return myotile.shown().kind === 'named'")
        position, triangle = example.Bowl(60, 28, 4).surface()
        of = example.surface_of(position[triangle].mean(1))
        rows = {r[0]: int(self.number(r[1])) for r in self.table("#panel-heart table[aria-label=surfaces]")}
        self.assertEqual(rows, {"base": int((of == 1).sum()), "wall": int((of == 2).sum()), "none of these": int((of == 0).sum())})
        x, y, _, _ = self.box(".stage canvas")
        for place, name in (([0, -30, 0], "wall"), ([0, -18, -36], "–")):
            at = self.hook("project", place)
            self.click_at(x + at[0], y + at[1])
            self.browser.wait("return myotile.picked() !== null && document.querySelector('.picked h2') !== null")
            names = self.browser.wait("return myotile.picked()?.names")
            self.assertEqual(names, [{"label": "surfaces", "text": {1: "base", 2: "wall", 0: "–"}[int(example.surface_of(np.array(self.hook("picked")["at"])))]}])
            self.assertEqual(names[0]["text"], name)

    def test_one_finger_turns_the_heart_and_two_zoom(self):
        x, y, w, h = self.box(".stage canvas")
        x, y = x + w / 2, y + h / 2
        ends = [[28, 0, -10], [-28, 0, -10]]
        size = lambda: math.dist(*(self.hook("project", end) for end in ends))
        before, place = size(), self.hook("project", ends[0])
        self.browser.touch(*([[x + side * (60 + 10 * k), y] for k in range(8)] for side in (-1, 1)))
        self.browser.wait("return Math.abs(myotile.project(arguments[0])[0] - arguments[1]) > 20", ends[0], place[0])
        self.assertGreater(size(), 1.3 * before)
        place = self.hook("project", ends[0])
        self.browser.touch([[x + 15 * k, y] for k in range(8)])
        self.browser.wait("return Math.abs(myotile.project(arguments[0])[0] - arguments[1]) > 20", ends[0], place[0])
        self.assertEqual(self.browser.run("return scrollY"), 0)

    def test_keys_turn_the_heart_and_go_through_tabs(self):
        before = self.hook("project", [0, -28, -10])
        self.browser.type(".stage canvas", RIGHT)
        self.assertGreater(abs(self.hook("project", [0, -28, -10])[0] - before[0]), 3)
        self.browser.type("#tab-heart", RIGHT)
        self.assertEqual(self.browser.run("return document.activeElement.id"), "tab-traces")
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('[role=tabpanel]')].map((p) => p.hidden)"), [True, False, True, True, True])
        self.browser.type("#tab-traces", END)
        self.assertEqual(self.browser.run("return document.activeElement.id"), "tab-run")

    def test_everything_that_can_be_used_has_a_name(self):
        for name in ["heart", "traces", "machine", "compare", "run"]:
            self.tab(name)
        nameless = self.browser.run(
            "return [...document.querySelectorAll('button, input, select, [tabindex=\"0\"], canvas:not([aria-hidden])')]"
            ".filter((e) => !(e.getAttribute('aria-label') || e.labels?.length || (e.tagName !== 'CANVAS' && e.textContent.trim())))"
            ".map((e) => e.outerHTML)")
        self.assertEqual(nameless, [])

    def test_words_have_contrast_in_light_and_dark(self):
        for dark in [False, True]:
            self.browser.dark(dark)
            names = ["ink", "soft", "accent", "back", "page", "accent-ink"]
            colours = dict(zip(names, self.browser.run("const s = getComputedStyle(document.documentElement); return arguments[0].map((n) => s.getPropertyValue(`--${n}`).trim())", names)))
            for ink, back in [("ink", "back"), ("ink", "page"), ("soft", "back"), ("soft", "page"), ("accent", "back"), ("accent-ink", "accent")]:
                self.assertGreaterEqual(contrast(colours[ink], colours[back]), 4.5, f"{ink} on {back}, dark: {dark}")

    def test_the_theme_can_be_chosen(self):
        back = "return getComputedStyle(document.querySelector('header')).backgroundColor"
        before = self.browser.run(back)
        self.browser.click("#theme")
        self.assertNotEqual(self.browser.run(back), before)

    # ---- the conduction system ----

    def open_network(self):
        self.browser.open(self.write("network.html", example.make(template(), runs=1, conducts=True)))
        self.assertIsNone(self.ready("heart"))
        self.browser.run("document.querySelector('.controls .check input').click()")  # isochrones off
        self.browser.click("button[aria-label='View from −y']")
        time.sleep(0.3)

    def test_the_network_has_the_colours_of_its_activation(self):
        self.open_network()
        for point in [0, 15, 30]:
            x = -15 + point
            self.assertAlmostEqual(self.hook("network", point)["value"], float(example.strand_ms(x)), delta=0.01)
            np.testing.assert_allclose(self.hook("network", point)["place"], [x, 0, 25], atol=0.01)
        self.assertIsNone(self.hook("network", 40)["value"])
        low, high, grey = (self.pixel(place) for place in ([-12.5, 0, 25], [13.5, 0, 25], [3.5, 0, 30]))
        self.assertGreater(low[2], low[0], f"early is blue: {low}")
        self.assertGreater(high[1], low[1] + 40, f"late is green: {high}")
        self.assertLess(max(grey[:3]) - min(grey[:3]), 4, f"no value is grey: {grey}")
        self.assertEqual([low[3], high[3], grey[3]], [255] * 3)

    def test_the_network_can_be_hidden(self):
        self.open_network()
        self.assertEqual(self.pixel([5, 0, 25])[3], 255)
        self.assertGreater(self.pixel([15, 0, 25])[3], 0)
        hide = lambda text: self.browser.run("[...document.querySelectorAll('.controls .check')].find((l) => l.textContent === arguments[0]).click()", text)
        hide("junctions")
        time.sleep(0.2)
        self.assertEqual((self.hook("network")["isShown"], self.hook("network")["hasEnds"]), (True, False))
        hide("conduction system")
        time.sleep(0.2)
        self.assertEqual(self.pixel([5, 0, 25]), [0, 0, 0, 0])
        hide("conduction system")
        time.sleep(0.2)
        self.assertEqual(self.pixel([5, 0, 25])[3], 255)

    def test_a_failed_junction_is_red(self):
        self.open_network()
        is_red = lambda place: (lambda c: c[0] > 180 and c[1] < 60 and c[2] < 60)(self.pixel(place))
        self.assertTrue(is_red([15, 0, 25]))
        self.assertFalse(is_red([-15, 0, 25]) or is_red([15, 0, 30]))
        self.assertEqual(self.browser.text("#junctions-failed"), "1 of 4 junctions failed (red dots).")

    def test_frames_show_v_of_the_network(self):
        self.open_network()
        self.choose("Colour by", "frames")
        self.browser.wait("return myotile.shown().kind === 'frames'")
        for frame in [2, 5, 30]:
            self.browser.run("const r = document.querySelector('.time input'); r.value = arguments[0]; r.dispatchEvent(new Event('input'))", str(frame))
            t = self.hook("shown")["time_ms"]
            for point in [0, 15, 30]:
                expected = 20 if t >= example.strand_ms(-15 + point) else -85
                self.assertAlmostEqual(self.hook("network", point)["value"], expected, delta=0.5, msg=f"{t} ms, point {point}")
        self.assertGreater(self.pixel([5, 0, 25])[1], 150, "activated")

    def test_the_conduction_system_has_its_tables_and_delays(self):
        self.open_network()
        self.tab("conduction")
        shown = self.hook("conduction")
        self.assertEqual({c["name"]: c["count"] for c in shown["counts"] if c["count"]}, {"none": 2, "antegrade": 1, "antegrade failed": 1})
        self.assertAlmostEqual(shown["delay"][0], 4.5, delta=0.01)
        self.assertEqual(shown["delay"][1:], [None] * 3)
        heads = self.browser.run("return [...document.querySelectorAll('#panel-conduction h2')].map((h) => h.textContent)")
        self.assertEqual(heads, ["Conduction system", "Junctions", "List of the junctions"])
        rows = lambda: self.browser.run("return [...document.querySelectorAll('#panel-conduction section:last-child tbody tr')].map((r) => [...r.cells].map((c) => c.textContent))")
        self.assertEqual(rows()[0], ["0", "−15", "0", "25", "20", "24.5", "4.5", "antegrade"])
        self.assertEqual(rows()[1][4:], ["80", "–", "–", "antegrade failed"])
        self.choose_in("#panel-conduction", "Beat", "1")
        shown = self.hook("conduction")
        self.assertEqual({c["name"]: c["count"] for c in shown["counts"] if c["count"]}, {"antegrade": 1, "retrograde": 1, "retrograde failed": 1, "open": 1})
        self.assertAlmostEqual(shown["counts"][2]["delay"], 2, delta=0.01)
        self.assertEqual(rows()[2][4:], ["–", "450", "–", "retrograde failed"])

    def test_a_lead_is_read_below_the_pointer(self):
        self.tab("traces")
        self.browser.wait("return document.querySelector('.paper')?.style.width")  # until it is drawn
        self.browser.run("document.querySelector('.paper').scrollIntoView()")
        x, y, w, h = self.box(".paper")
        found = set()
        for across in np.linspace(0.05, 0.98, 24):
            self.browser.pointer(("to", x + across * w, y + 0.1 * h))
            text = self.browser.text(".readout")
            if text:
                found.add(text.split(":")[0])
                self.assertRegex(text, r"^\w+: −?[\d.e−]+ mV at [\d.]+ ms$")
        self.assertEqual(found, {"I", "aVR", "V1", "V4"})

    def test_the_paper_of_an_ecg_has_the_speed_and_the_gains_of_the_report(self):
        self.tab("traces")
        text = self.browser.wait("return document.querySelector('.paper').closest('section').querySelector('p.note').textContent")
        self.assertIn("25 mm/s (1 mm = 40 ms), limb leads: 200 mm/mV, chest leads: 20 mm/mV", text)
        self.assertIn("Amplitudes are not calibrated.", text)
        self.assertIn("stimuli", text)
        blue = self.browser.run("""
            const paper = document.querySelector('.paper'), p = paper.getContext('2d').getImageData(0, 0, paper.width, paper.height).data;
            let n = 0;
            for (let i = 0; i < p.length; i += 4) n += p[i + 2] - p[i] > 60;
            return n""")
        self.assertGreaterEqual(blue, 12 * 8)  # a mark for each lead

    def test_a_tile_that_is_clicked_is_kept_with_its_numbers(self):
        self.tab("machine")
        self.browser.run("document.querySelector('.die-place').scrollIntoView()")
        x, y, _, _ = self.box(".die-place .die")
        tile = self.hook("tile", 700)
        self.click_at(x + tile["middle"][0], y + tile["middle"][1])
        self.assertEqual(self.hook("tile", 700)["kept"], 700)
        self.assertIn("Tile 700, row 10, column 60", self.browser.text(".machine-right"))
        cell = self.browser.run("return document.querySelector('.tile-numbers td').textContent")
        self.assertEqual(float(cell.replace(",", "")), tile["value"])
        self.browser.type(".die-place .die", RIGHT)
        self.assertEqual(self.hook("tile", 700)["kept"], 701)

    def table(self, selector):
        """Returns the text of the cells of a table."""
        return self.browser.run("return [...document.querySelector(arguments[0]).querySelectorAll('tbody tr')].map((r) => [...r.children].map((c) => c.textContent))", selector)

    def number(self, text):
        return float(text.replace(",", "").replace("−", "-"))

    def test_a_time_step_has_its_phases_with_their_bounds(self):
        self.tab("machine")
        phases = self.hook("phases")
        self.assertEqual([(p["set"], p["kind"]) for p in phases],
                         [("ode", "compute"), ("pde a to b", "gather"), ("pde a to b", "sync"), ("pde a to b", "exchange"), ("pde a to b", "compute"), ("stimulus 0", "compute")])
        whole = 25730 + 2 * (40 + 126 + 488 + 2000) + 0.1 * 90
        self.assertAlmostEqual(sum(p["cycles"] for p in phases), whole)
        x, y, width, _ = self.box(".timeline canvas.die")
        self.assertAlmostEqual(phases[3]["at"][1] - phases[3]["at"][0], width * 2 * 488 / whole, delta=1)
        values = example.tile_values(1)["exchange", "pde a to b"]
        middle = x + sum(phases[3]["at"]) / 2
        self.browser.pointer(("to", middle, y + 150))
        said = self.browser.text(".timeline .readout")
        self.assertIn("pde a to b, exchange: 488 cycles (lower bound 450), 2 runs in a time step; tile ", said)
        tile, cycles = (int(t) for t in re.search(r"tile ([\d,]+) is busy for (\d+)", said.replace(",", "")).groups())
        self.assertEqual(cycles, values[tile])
        rows = [range(r * 1472 // 360, (r + 1) * 1472 // 360) for r in (123, 124, 125)]  # a click at 150 px is 124 px below the top of the plot, to 1 px
        self.assertIn(tile, [max(row, key=lambda t: values[t]) for row in rows])
        self.click_at(middle, y + 150)
        self.assertEqual(self.hook("tile", 0)["kept"], tile)
        rows = {(r[0], r[1]): r for r in self.table(".timeline details table")}
        self.assertEqual(self.number(rows["pde a to b", "exchange"][3]), 488)
        self.assertAlmostEqual(self.number(rows["ode", "compute"][4]), 100 * 25730 / whole, places=2)
        self.assertAlmostEqual(self.number(rows["pde a to b", "exchange"][6]), values.mean(), delta=0.01)

    def test_a_tile_has_its_memory_its_vertices_and_its_neighbours(self):
        self.tab("machine")
        self.browser.type("#panel-machine input[type=number]", "700\ue007")
        self.browser.wait("return myotile.tile(700).neighbours.length === 3")
        self.assertEqual(self.hook("tile", 700)["kept"], 700)
        self.assertEqual(sorted(self.hook("tile", 700)["neighbours"]), [701, 702, 765])
        received = self.table(".tile-details > div:nth-child(3)")
        self.assertEqual([(int(r[0]), int(r[2])) for r in received], example.received(700))
        sent = self.table(".tile-details > div:nth-child(4)")
        self.assertEqual(sorted((int(r[0]), int(r[2])) for r in sent), sorted((t, b) for t in (699, 698, 635) for s, b in example.received(t) if s == 700))
        self.assertEqual(self.table(".tile-details > div:nth-child(2)"), [["ode", "ode_spread", "1"]])
        self.assertEqual([r[:2] for r in self.table(".tile-details > .memory")],
                         [["code of codelets", "ode"], ["variables", "state"], ["received", "pde a to b"]])
        self.browser.click(".tile-details > div:nth-child(3) tbody button")  # to the first neighbour
        self.browser.wait("return myotile.tile(701).kept === 701")

    def test_blocks_of_several_chips_hide_no_worst_tile(self):
        self.tab("machine")
        self.choose("Run", "1")
        self.assertIsNone(self.ready("machine"))
        values = example.tile_values(4)["compute", "ode"]
        self.choose_in("#panel-machine", "Colour by", str(list(example.tile_values(4)).index(("compute", "ode"))))
        self.assertIn(f"5,888 tiles: {values.min():,} to {values.max():,} cycles", self.browser.text("#panel-machine"))
        place = np.arange(1472).reshape(23, 64)[:2, :2]  # the first block
        self.assertEqual(self.hook("tile", 0)["value"], values[place].max())
        rows = self.table(".machine ~ details")
        worst = sorted(((-v, t) for t, v in enumerate(values.tolist())))[:100]
        self.assertEqual([(int(self.number(r[0])) + 1472 * int(r[1]), self.number(r[2])) for r in rows], [(t, -v) for v, t in worst])

    def test_a_link_shows_its_load(self):
        self.tab("machine")
        self.choose("Run", "1")
        self.assertIsNone(self.ready("machine"))
        self.browser.run("document.querySelector('.network').scrollIntoView()")
        x, y, _, _ = self.box(".network canvas.die")
        link = self.hook("link", 3)
        self.assertEqual(link["load"], 350)
        self.browser.pointer(("to", x + link["middle"][0], y + link["middle"][1]))
        self.assertEqual(self.browser.text(".network .readout"), "ring, IPU 2 to 1: 3,500 bytes, busy for 350 cycles, 23.3 % of the exchange.")

    def test_tables_of_the_machine_have_the_cells_of_its_profile(self):
        self.tab("machine")
        whole = {r[0]: r[1:] for r in self.table("#panel-machine table[aria-label='Totals of the run on GC200']")}
        profile = example.profile(1)
        self.assertEqual(self.number(whole["total"][0]), profile["totals"]["cycles"])
        self.assertEqual(whole["tile memory"], ["638,976", "bytes"])
        self.assertEqual(whole["clock"], ["–", "Hz"], "the profile does not have it")
        self.assertEqual([r[:4] for r in self.table("#panel-machine table[aria-label='Compute sets']")],
                         [[each["name"], *(f"{each[key]:,}" for key in ("runs", "cycles", "total_cycles"))] for each in profile["compute_sets"]])
        heads = "return [...document.querySelectorAll(`#panel-machine table[aria-label='${arguments[0]}'] th`)].map((th) => [th.textContent, th.className === 'number'])"
        self.assertEqual(self.browser.run(heads, "Vertices"),
                         [["codelet", False], ["compute set", False], ["vertices", True], ["per runcycles", True], ["all runscycles", True]])
        self.assertEqual(self.browser.run(heads, "Compute sets")[-1], ["busiest link", False])
        self.assertEqual(self.table("#panel-machine table[aria-label=Memory]"), [["variables", "2,000", "2,944,000"]])
        self.assertEqual(self.browser.run("return document.querySelectorAll('#panel-machine .network, #panel-machine table[aria-label*=inks]').length"), 0)

    def test_the_busiest_links_are_listed(self):
        self.choose("Run", "1")
        self.tab("machine")
        rows = self.table("#panel-machine table[aria-label='Busiest links']")
        links = sorted(example.links(4), key=lambda link: -link["busy_cycles"])
        self.assertEqual(rows, [[each["compute_set"], each["name"], str(each["from"]), str(each["to"]), f"{each['bytes']:,}", f"{each['busy_cycles']:,}"] for each in links[:6]])

    def test_two_runs_are_compared_side_by_side(self):
        self.tab("compare")
        self.browser.wait("return document.querySelectorAll('#panel-compare section').length > 2")
        rows = {tuple(r[:2]): [self.number(cell) if cell != "–" else None for cell in r[2:]] for r in self.table("#panel-compare .compare-step table")}
        self.assertEqual(rows["pde a to b", "exchange"], [2 * 488, 3000, 3000 - 2 * 488, 207])
        self.assertEqual(rows["ode", "compute"], [25730, 25730, 0, 0])
        self.assertEqual(rows["total", ""][2], 3000 - 2 * 488)
        self.choose("A", "1")
        self.browser.wait("return document.querySelector('#panel-compare .compare-step tbody tr:last-child td:nth-child(5)')?.textContent === '0'")

    def compare(self, value):
        """Opens the comparison and chooses a map; returns the displayed state."""
        self.tab("compare")
        self.choose_in("#panel-compare", "Colour by", value)
        kind = "V" if value == "frames" else "APD90" if value == "map 1" else "ctivation"
        self.browser.wait("return document.querySelector('#panel-compare .compare-bars').textContent.includes(arguments[0])", kind)
        self.browser.wait("return document.querySelector('#panel-compare .compare-maps table[aria-label]').ariaLabel.includes(arguments[0])", kind)
        return self.hook("compared")

    def test_two_runs_on_one_mesh_have_one_range_and_a_difference_around_zero(self):
        position, triangle = example.Bowl(60, 28, 4).surface()
        centre = position[triangle].mean(1)
        before = example.activation_ms(centre)
        shift = example.SHIFTS["activation_ms"](centre)
        known = shift[~np.isnan(before)]
        shown = self.compare("map 0")
        both = [np.nanmin(np.minimum(before, before + shift)), np.nanmax(np.maximum(before, before + shift))]
        for range_ms in shown["ranges"][:2]:
            np.testing.assert_allclose(range_ms, both, atol=0.01)
        np.testing.assert_allclose(shown["ranges"][2], [-np.abs(known).max(), np.abs(known).max()], atol=0.01)
        s = shown["statistics"]
        expected = {"n": known.size, "missing": int(np.isnan(before).sum()), "mean": known.mean(), "rms": np.sqrt((known**2).mean()),
                    "p5": np.percentile(known, 5), "p50": np.median(known), "p95": np.percentile(known, 95), "largest": np.abs(known).max()}
        for name, value in expected.items():
            self.assertAlmostEqual(s[name], float(value), delta=0.004, msg=name)
        for vertex in range(0, 2000, 131):
            shown = self.hook("compared", vertex)
            a, b, difference = shown["values"]
            if a is None:
                self.assertIsNone(difference)
            else:
                self.assertAlmostEqual(difference, 2 + 0.05 * shown["position"][0], delta=0.004)

    def test_the_heart_tab_has_the_colours_of_all_runs_on_its_mesh(self):
        before = self.hook("shown")["range"]
        self.choose("Run", "1")
        self.assertIsNone(self.ready("heart"))
        self.assertEqual(self.hook("shown")["range"], before)
        self.assertIn("2 runs of this report share this mesh", self.browser.text(".about"))

    def test_swapped_runs_have_the_opposite_difference(self):
        shown = self.compare("map 1")
        self.assertAlmostEqual(shown["statistics"]["mean"], -10, delta=0.01)
        self.choose("A", "1")
        self.choose("B", "0")
        self.browser.wait("return myotile.compared()?.statistics !== undefined && document.querySelectorAll('.compare-maps').length === 1")
        self.assertAlmostEqual(self.compare("map 1")["statistics"]["mean"], 10, delta=0.01)

    def test_v_of_two_runs_is_compared_at_one_time(self):
        self.compare("frames")
        self.browser.run("const s = document.querySelector('#panel-compare .time input'); s.value = 7; s.dispatchEvent(new Event('input'))")
        shown = self.hook("compared", 700)
        self.assertEqual(len(set(shown["times"])), 1)
        self.assertAlmostEqual(shown["times"][0], float(np.linspace(0, 400, 40)[7]), delta=1e-6)
        self.assertAlmostEqual(shown["values"][2], example.SHIFT_mV, delta=1.5 * 115 / 254)
        self.assertIn(f"at {shown['times'][0]:.5g}", self.browser.text(".compare-maps h2:nth-child(1)") + self.browser.run("return document.querySelector('.compare-maps').textContent"))

    def test_cameras_of_compared_runs_are_linked(self):
        before = self.compare("map 0")["poses"]
        self.browser.type("#panel-compare figure:nth-child(2) .stage canvas", RIGHT)
        self.browser.wait("return myotile.compared().poses[1].direction[0] !== arguments[0]", before[1]["direction"][0])
        self.browser.wait("const p = myotile.compared().poses.map((each) => each.direction[0]); return Math.max(...p) - Math.min(...p) < 1e-6")
        after = self.hook("compared")["poses"]
        for pose in after:
            np.testing.assert_allclose(pose["direction"], after[1]["direction"], atol=1e-6)
            self.assertAlmostEqual(pose["away"], after[1]["away"], delta=1e-6)
        self.assertGreater(np.abs(np.subtract(after[0]["direction"], before[0]["direction"])).max(), 0.01)

    def test_a_click_shows_both_values_and_their_difference(self):
        self.compare("map 0")
        self.browser.run("document.querySelector('.compare-views').scrollIntoView()")
        x, y, w, h = self.box("#panel-compare figure:nth-child(3) .stage")
        self.click_at(x + w / 2, y + h / 2)
        self.browser.wait("return document.querySelectorAll('.compare-maps table').length === 2")
        rows = {r[0]: [self.number(c) for c in r[2:]] for r in self.table(".compare-maps table[aria-label^=Element]")}
        self.assertAlmostEqual(rows["APD90"][2], -10, delta=0.02)
        self.assertAlmostEqual(rows["activation"][1] - rows["activation"][0], rows["activation"][2], delta=0.02)

    def test_runs_on_different_meshes_have_no_difference_map(self):
        self.browser.open(self.write("three.html", example.make(template(), runs=3)))
        self.assertIsNone(self.ready("heart"))
        self.tab("compare")
        self.assertEqual(self.browser.run("return document.querySelectorAll('.compare-views figure').length"), 3)
        self.choose("B", "2")
        self.browser.wait("return document.querySelectorAll('.compare-views figure').length === 0")
        self.assertIn("A and B are on different meshes", self.browser.text("#panel-compare"))
        self.assertIsNone(self.hook("compared"))

    def test_the_view_refits_when_the_window_changes(self):
        share = lambda: max(
            (max(p[k] for p in places) - min(p[k] for p in places)) / size[k]
            for places, size in [([self.hook("project", e) for e in ([30, 0, 0], [-30, 0, 0], [0, 0, 16], [0, 0, -45])], self.box(".stage")[2:])] for k in (0, 1))
        sizes = []
        self.browser.window(500, 1100)
        self.browser.open(self.path)
        self.assertIsNone(self.ready("heart"))
        for width, height in [(500, 1100), (1900, 1000), (900, 1100), (500, 1100)]:
            self.browser.window(width, height)
            self.box(".stage")
            time.sleep(0.3)
            sizes.append(share())
        self.assertGreater(min(sizes), 0.7, sizes)
        self.assertLess(max(sizes), 1, sizes)
        self.assertAlmostEqual(sizes[0], sizes[3], delta=0.005)

    def test_lines_of_a_duration_are_no_isochrones(self):
        line = "return document.querySelector('.controls .check span').textContent"
        self.assertEqual(self.browser.run(line), "Isochrones every")
        self.choose("Colour by", "map 1")
        self.browser.wait("return myotile.shown().label === 'APD90'")
        self.assertEqual(self.browser.run(line), "Contour lines every")

    def test_only_a_coarser_volume_is_called_coarser(self):
        self.assertIn("coarser tetrahedra", self.browser.text(".about"))
        n = 36 * 16 * 3 * 6
        complete = self.page.replace('"n_elements": 300000', f'"n_elements": {n}')
        self.browser.open(self.write("complete.html", complete))
        self.assertIsNone(self.ready("heart"))
        self.assertIn(f"from all {n:,} elements", self.browser.text(".about"))

    def test_an_ensemble_is_shown_with_the_numbers_of_its_table(self):
        table = os.path.join(self.folder.name, "table.csv")
        with open(table, "w", encoding="utf-8") as file:
            file.write("name,stimuli.0.start_ms,stimuli.0.strength_uA_mm3\na,0,50\nb,1,50\nc,3,50\nweak,0,1\nwrong,0,1000000\n")
        case = os.path.join(SOURCE, "data/cases/niederer-0.5.yaml")
        folder = os.path.join(self.folder.name, "members")
        done = subprocess.run([MYOTILE, "run", case, "--ensemble", table, "--set", "time.end_ms=8", "--set", "machine.backend=cpu", "--set",
                               "cell={model: mitchell-schaeffer, type: standard}", "--output", folder], capture_output=True, text=True)
        self.assertEqual(done.returncode, 5, done.stderr)  # of the member that diverges
        with open(os.path.join(folder, "ensemble.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.browser.open(os.path.join(folder, "ensemble.html"))
        self.assertIsNone(self.ready("ensemble"))
        self.assertIn("5 members: 4 done, 1 failed", self.browser.text("#panel-ensemble"))
        self.assertIn(rows[4]["error"], self.browser.text("#panel-ensemble"))
        # scatter plots of every result against both keys
        labels = {"activated (%)": "elements_activated_percent", "latest activation (ms)": "latest_activation_ms"}
        options = self.browser.run("return [...document.querySelectorAll('#panel-ensemble select')].map((s) => [...s.options].map((o) => o.textContent))")
        self.assertEqual(options[1], ["start (ms)", "strength (µA/mm³)"])
        for k, label in enumerate(options[0]):
            for x, key in enumerate(["stimuli.0.start_ms", "stimuli.0.strength_uA_mm3"]):
                self.choose("Result", str(k))
                self.choose("Varied value", str(x))
                points = self.hook("ensemble")["points"]
                if label in labels:
                    known = [row for row in rows if row[labels[label]]]
                    self.assertEqual([(p["member"], p["x"], p["y"]) for p in points], [(row["name"], float(row[key]), float(row[labels[label]])) for row in known])
                self.assertEqual(len(points), self.browser.run("return document.querySelectorAll('#panel-ensemble circle').length"))
        # histograms
        bins = self.hook("ensemble")["bins"]
        shares = np.array([float(row["elements_activated_percent"]) for row in rows if row["elements_activated_percent"]])
        self.assertEqual(bins[options[0].index("activated (%)")], list(np.histogram(shares, 16)[0]))
        text = self.browser.text(".ensemble-grid figure")
        self.assertIn(f"median {np.median(shares):.5g} %", text)
        self.assertEqual(self.hook("violations"), [])
        self.tab("run")
        self.assertIn("of 5 members", self.browser.text("#panel-run"))

    def test_a_profile_of_sixteen_chips_is_that_of_its_files(self):
        folder = os.path.join(self.folder.name, "slab")
        case = os.path.join(SOURCE, "data/cases/niederer-0.5.yaml")
        run = lambda *words: subprocess.run([MYOTILE, *words], cwd=self.folder.name, check=True, capture_output=True, text=True)
        done = run("run", case, "--set", "time.end_ms=0.04", "--set", "machine.ipus=16", "--output", folder, "--profile", folder)
        self.browser.open(os.path.join(folder, "report.html"))
        self.assertIsNone(self.ready("heart"))
        self.tab("machine")
        def read(name):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                return list(csv.DictReader(file))

        with open(os.path.join(folder, "profile.json"), encoding="utf-8") as file:
            profile = json.load(file)
        tiles, links, received = read("tiles.csv"), read("links.csv"), read("received.csv")
        self.assertEqual(len(tiles), 16 * 1472)
        sets = {each["name"]: each for each in profile["compute_sets"]}
        phases = self.hook("phases")
        computed = [p["set"] for p in phases if p["kind"] == "compute"]
        self.assertEqual(computed, [turn["compute_set"] for turn in profile["time_step"]] + ["stimulus 0"])
        row = next(words for words in map(str.split, done.stdout.splitlines()) if words[:2] == ["time", "step"] and "100.0" in words)
        printed = int(row[row.index("100.0") - 2])
        self.assertEqual(round(sum(p["cycles"] for p in phases)), printed)
        for phase in phases:
            keys = {"exchange": "exchange_cycles", "compute": ("tile_compute_cycles", "max"), "gather": ("tile_gather_cycles", "max"), "scatter": ("tile_scatter_cycles", "max")}
            key = keys.get(phase["kind"])
            if key:
                found = sets[phase["set"]]
                self.assertEqual(phase["once"], found[key] if isinstance(key, str) else found[key[0]][key[1]])
        for name in ["exchange pde a to b[cycles]", "received pde a to b[bytes]", "memory[bytes]"]:
            label = {"m": "memory", "e": "exchange", "r": "received"}[name[0]]
            k = self.browser.run("return [...document.querySelectorAll('#panel-machine option')].find((o) => o.textContent === arguments[0]).value",
                                 label if label == "memory" else f"pde a to b: {label}")
            self.choose_in("#panel-machine", "Colour by", k)
            worst = sorted(((-int(row[name]), int(row["tile"])) for row in tiles))[:100]
            rows = self.table(".machine ~ details")
            self.assertEqual([(1472 * int(r[1]) + int(self.number(r[0])), int(self.number(r[2]))) for r in rows], [(t, -v) for v, t in worst], name)
        detailed = int(received[0]["tile"])
        self.browser.run("const i = document.querySelector('#panel-machine input[type=number]'); i.value = arguments[0]; i.dispatchEvent(new Event('change'))", detailed)
        self.browser.wait("return document.querySelectorAll('.tile-details tbody tr').length > 3")
        shown = self.table(".tile-details > div:nth-child(3)")
        self.assertEqual(sorted((int(self.number(r[0])), r[1], int(self.number(r[2]))) for r in shown),
                         sorted((int(row["from"]), row["compute set"], int(row["received[bytes]"])) for row in received if int(row["tile"]) == detailed))
        busiest = sorted(links, key=lambda row: -int(row["busy[cycles]"]))[:100]
        self.assertEqual([[cell.replace(",", "") for cell in r] for r in self.table("#panel-machine table[aria-label*=inks]")], [[cell.replace(",", "") for cell in row.values()] for row in busiest])
        of_set = [row for row in links if row["compute set"] == links[0]["compute set"]]
        for k in range(0, len(of_set), 7):
            self.assertEqual(self.hook("link", k)["load"], int(of_set[k]["busy[cycles]"]))
        self.assertEqual(self.hook("violations"), [])

    def test_the_worst_tiles_are_sorted(self):
        self.tab("machine")
        self.browser.click(".machine ~ details summary")
        values = self.browser.run("return [...document.querySelectorAll('.machine ~ details tbody tr')].map((r) => r.lastChild.textContent.replace(/,/g, ''))")
        self.assertEqual(len(values), 100)
        self.assertEqual([float(v) for v in values], sorted((float(v) for v in values), reverse=True))
        self.browser.click(".machine ~ details th:first-child button")
        tiles = self.browser.run("return [...document.querySelectorAll('.machine ~ details tbody tr')].map((r) => r.firstChild.textContent.replace(/,/g, ''))")
        self.assertEqual([int(t) for t in tiles], sorted((int(t) for t in tiles), reverse=True))

    def test_keys_of_the_case_are_found(self):
        self.tab("run")
        self.browser.type("#panel-run input[type=search]", "end")
        rows = self.browser.run("return [...document.querySelectorAll('.used tbody tr:not([hidden])')].map((r) => r.textContent)")
        self.assertEqual(rows, ["time.end_ms400ms80when it ends"])

    def test_only_values_changed_from_their_default_are_listed_and_no_word_is_broken(self):
        self.browser.window(800, 1000)
        self.browser.open(self.write("long.html", self.page.replace("the implicit scheme", "How the implicit steps are made, in many words. " * 8)))
        self.assertIsNone(self.ready("heart"))
        self.tab("run")
        self.browser.click("#panel-run input[type=checkbox]")
        rows = self.browser.run("return [...document.querySelectorAll('.used tbody tr:not([hidden]) code')].map((r) => r.textContent)")
        self.assertEqual(rows, ["time.end_ms"])
        self.browser.click("#panel-run input[type=checkbox]")
        heights = self.browser.run(
            "return [...document.querySelectorAll('.used td.value')].map((cell) => { const r = document.createRange(); r.selectNodeContents(cell); return r.getClientRects().length; })")
        self.assertEqual(set(heights), {1}, "no value is wrapped inside a word")

    def test_values_are_compared_with_their_defaults_as_what_they_are(self):
        cases = [  # value, default, found, shown default, whether it is changed
            ("0.0001", "1e-4", None, "1e-4", False), ("1e-3", "1e-4", None, "1e-4", True), ('"1"', "1.0", None, "1.0", False), ("", "", None, "unset", False),
            ('""', "", None, "unset", False), ("[]", "", None, "unset", False), ('"a"', "", None, "unset", True), ("[V]", "[V]", None, "[V]", False),
            ("[]", "[]", None, "[]", False), ("[V]", "[]", None, "[]", True), ("[V, Ca_i]", "[V]", None, "[V]", True), ("[1, 2.0]", "[1.0, 2]", None, "[1.0, 2]", False),
            ("[1, 2]", "[2, 1]", None, "[2, 1]", True), ('["a, b"]', '[a, b]', None, "[a, b]", True), ("gc200", "gc200", None, "gc200", False), ("gc2", "gc200", None, "gc200", True),
            ("0", "0", 1472, "automatic", False), ("1472", "0", 1472, "automatic", False), ("3", "0", 1472, "automatic", True), ("3", "0", 0, "automatic", False), ("2", None, None, "", False)]
        blocks = example.Blocks()
        report = example.run(blocks, "A bowl", "bowl", False, 1)
        optional = lambda **values: {name: value for name, value in values.items() if value is not None}
        report["used"] = [{"key": f"key{k}", "value": value, "help": "its meaning", **optional(default=default, found=found)} for k, (value, default, found, _, _) in enumerate(cases)]
        self.browser.open(self.write("values.html", example.fill(template(), {"format": 1, "version": "0.1.0", "runs": [report]}, blocks)))
        self.assertIsNone(self.ready("heart"))
        self.tab("run")
        rows = self.browser.run("return [...document.querySelectorAll('.used tbody tr')].map((r) => [r.children[1].textContent, r.children[3].textContent, r.className === 'is-set'])")
        self.assertEqual(rows, [[value, shown, changed] for value, _, _, shown, changed in cases])

    def test_no_heading_of_a_table_reaches_into_the_next(self):
        for width in [800, 1280, 1920]:
            self.browser.window(width, 1000)
            self.browser.open(self.path)
            self.assertIsNone(self.ready("heart"))
            self.tab("machine")
            over = self.browser.run(
                "return [...document.querySelectorAll('#panel-machine thead th')].filter((th) => { const box = th.getBoundingClientRect(); const r = document.createRange();"
                "r.selectNodeContents(th); const text = r.getBoundingClientRect(); return text.left < box.left - 1 || text.right > box.right + 1; }).map((th) => th.textContent)")
            self.assertEqual(over, [], width)

    def test_another_run_can_be_chosen(self):
        self.tab("machine")
        self.choose("Run", "1")
        self.assertIsNone(self.ready("machine"))
        self.assertEqual(self.browser.text("h1"), "The same bowl, four IPUs")
        self.assertIn("5,888 tiles", self.browser.text("#panel-machine"))

    def test_the_picture_is_saved_with_its_bar(self):
        self.browser.send("/goog/cdp/execute", {"cmd": "Browser.setDownloadBehavior", "params": {"behavior": "allow", "downloadPath": self.folder.name}})
        width, height = self.box(".stage")[2:]
        self.browser.run("[...document.querySelectorAll('.bar button')].find((b) => b.textContent === 'Save as PNG').click()")
        path = os.path.join(self.folder.name, "bowl-activation.png")
        end = time.monotonic() + 30
        while not os.path.exists(path) and time.monotonic() < end:
            time.sleep(0.1)
        with open(path, "rb") as file:
            head = file.read(24)
        self.assertEqual(head[:8], b"\x89PNG\r\n\x1a\n")
        size = struct.unpack(">II", head[16:])
        self.assertEqual(size, (round(2 * (width + 48)), round(2 * (height + 150))))
        if SCREENSHOTS:
            os.makedirs(SCREENSHOTS, exist_ok=True)
            with open(path, "rb") as saved, open(os.path.join(SCREENSHOTS, "saved.png"), "wb") as kept:
                kept.write(saved.read())

    def test_a_damaged_report_says_which_array(self):
        name = re.search(r'"surface": {"position": {"id": "(\w+)"', self.page)[1]
        cut = self.page.index(f'id="{name}">') + len(f'id="{name}">')
        self.browser.open(self.write("damaged.html", self.page[:cut] + "AAAA" + self.page[cut:]))
        self.assertRegex(self.ready("heart"), f"array {name} ")
        self.assertIn(f"array {name} ", self.browser.text("[role=alert]"))
        self.tab("run")

    def test_a_profile_that_is_no_json_says_so(self):
        blocks = example.Blocks()
        report = example.run(blocks, "A bowl", "bowl", False, 1)
        report["machine"]["profile"] = blocks.words("{time_steps: 1}")
        self.browser.open(self.write("profile.html", example.fill(template(), {"format": 1, "version": "0.1.0", "runs": [report]}, blocks)))
        self.assertIsNone(self.ready("heart"))
        self.browser.click("#tab-machine")
        self.assertRegex(self.ready("machine"), rf"machine profile {report['machine']['profile']['id']} cannot be parsed \(.+\)\.$")

    def test_the_empty_page_says_how_it_is_filled(self):
        self.browser.open(os.path.join(SOURCE, "data/report/template.html"))
        self.assertIn("myotile report", self.browser.text("main"))


def contrast(a, b):
    """Returns the contrast of two colours #rrggbb, by WCAG 2."""
    def luminance(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted([luminance(a), luminance(b)], reverse=True)
    return (high + 0.05) / (low + 0.05)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
