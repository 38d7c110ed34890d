"""A report in Debian's Firefox shows its data. Firefox is controlled by its own protocol, Marionette.

    xvfb-run -a firefox.py SOURCE FIREFOX
"""

import json
import math
import os
import socket
import subprocess
import sys
import tempfile
import time
import unittest

try:
    import example
except ImportError:
    print("SKIPPED: python3-numpy is not installed (.ci/install slow)")
    sys.exit(0)

SOURCE, FIREFOX = (os.path.abspath(path) for path in sys.argv[1:3])
PREFERENCES = {"marionette.port": 0, "webgl.force-enabled": True, "datareporting.policy.dataSubmissionEnabled": False,
               "app.normandy.enabled": False, "network.captive-portal-service.enabled": False, "browser.safebrowsing.update.enabled": False}


class Firefox:
    """A client of the protocol. A message is a length, a colon, and JSON: [0, number, command, arguments]; the reply is
    [1, number, error, value]."""

    def __init__(self, folder):
        with open(os.path.join(folder, "user.js"), "w", encoding="utf-8") as file:
            file.writelines(f'user_pref("{name}", {json.dumps(value)});\n' for name, value in PREFERENCES.items())
        environment = dict(os.environ, LIBGL_ALWAYS_SOFTWARE="1")
        self.process = subprocess.Popen([FIREFOX, "--marionette", "--no-remote", "--profile", folder], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.socket = socket.create_connection(("127.0.0.1", self.port(os.path.join(folder, "MarionetteActivePort"))), timeout=120)
        self.file = self.socket.makefile("rb")
        self.receive()  # its greeting
        self.number = 0
        self.send("WebDriver:NewSession", {})

    def port(self, path):
        end = time.monotonic() + 60
        while not os.path.exists(path) or not os.path.getsize(path):
            if time.monotonic() > end or self.process.poll() is not None:
                raise RuntimeError("Firefox does not begin")
            time.sleep(0.1)
        with open(path, encoding="utf-8") as file:
            return int(file.read())

    def receive(self):
        length = b""
        while (digit := self.file.read(1)) != b":":
            length += digit
        return json.loads(self.file.read(int(length)))

    def send(self, command, arguments):
        self.number += 1
        text = json.dumps([0, self.number, command, arguments]).encode()
        self.socket.sendall(b"%d:%s" % (len(text), text))
        _, _, error, value = self.receive()
        if error:
            raise RuntimeError(error["message"])
        return value.get("value") if isinstance(value, dict) else value

    def open(self, path):
        self.send("WebDriver:Navigate", {"url": f"file://{path}"})

    def run(self, script, *values):
        return self.send("WebDriver:ExecuteScript", {"script": script, "args": list(values)})

    def quit(self):
        self.file.close()
        self.socket.close()
        self.process.terminate()
        self.process.wait()


class FirefoxTest(unittest.TestCase):
    def test_what_is_shown_is_what_was_put_in(self):
        with tempfile.TemporaryDirectory() as folder, open(os.path.join(SOURCE, "data/report/template.html"), encoding="utf-8") as template:
            path = os.path.join(folder, "report.html")
            with open(path, "w", encoding="utf-8") as file:
                file.write(example.make(template.read()))
            os.mkdir(profile := os.path.join(folder, "profile"))
            firefox = Firefox(profile)
            try:
                firefox.open(path)
                self.check(firefox)
            finally:
                firefox.quit()

    def check(self, firefox):
        hook = lambda name, *values: firefox.run(f"return myotile.{name}(...arguments)", *values)
        for tab in ["heart", "traces", "machine", "compare", "run"]:
            firefox.run("document.getElementById(`tab-${arguments[0]}`).click()", tab)
            self.assertIsNone(hook("ready", tab))
        self.assertGreater(hook("counts")["vertices"], 1000)
        for vertex in range(0, hook("counts")["vertices"], 97):
            expected = float(example.activation_ms(hook("position", vertex)))
            if not math.isnan(expected):
                self.assertAlmostEqual(hook("value", vertex), expected, delta=0.01)
        first = next(iter(example.tile_values(1).values()))
        self.assertEqual([hook("tile", t)["value"] for t in (0, 700, 1471)], [int(first[t]) for t in (0, 700, 1471)])
        self.assertEqual(hook("violations"), [])
        self.assertEqual(firefox.run("return performance.getEntriesByType('resource').map((e) => e.name)"), [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
