"""A minimal client for Chromium's chromedriver, by WebDriver over HTTP on this machine."""

import base64
import json
import subprocess
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
FLAGS = ["--headless=new", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--enable-unsafe-swiftshader", "--use-gl=angle", "--use-angle=swiftshader",
         "--force-device-scale-factor=1"]


class Browser:
    def __init__(self, driver, binary, flags=()):
        self.process = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = next(line for line in self.process.stdout if "successfully on port" in line)
        self.root = f"http://127.0.0.1:{line.rstrip().rstrip('.').split()[-1]}"
        wants = {"goog:chromeOptions": {"binary": binary, "args": FLAGS + list(flags)}, "goog:loggingPrefs": {"performance": "ALL", "browser": "ALL"}}
        self.root += "/session/" + self.send("/session", {"capabilities": {"alwaysMatch": wants}})["sessionId"]

    def send(self, path, body=None, method=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.root + path, data, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # connects to this machine only
        try:
            with opener.open(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def quit(self):
        try:
            self.send("", method="DELETE")
        finally:
            self.process.terminate()
            self.process.wait()

    def open(self, path):
        self.send("/url", {"url": f"file://{path}"})

    def window(self, width, height):
        self.send("/window/rect", {"width": width, "height": height})

    def run(self, script, *values):
        """Runs a script and returns its result; waits for a promise."""
        return self.send("/execute/sync", {"script": script, "args": list(values)})

    def find(self, selector):
        return self.send("/element", {"using": "css selector", "value": selector})[ELEMENT]

    def text(self, selector):
        return self.send(f"/element/{self.find(selector)}/text")

    def click(self, selector):
        self.send(f"/element/{self.find(selector)}/click", {})

    def type(self, selector, keys):
        self.send(f"/element/{self.find(selector)}/value", {"text": keys})

    def pointer(self, *steps):
        """Moves the mouse: ("to", x, y), ("down",), ("up",), with places in CSS pixels of the window."""
        kinds = {"to": "pointerMove", "down": "pointerDown", "up": "pointerUp"}
        actions = []
        for kind, *place in steps:
            action = {"type": kinds[kind]}
            action.update({"x": round(place[0]), "y": round(place[1]), "duration": 20} if place else {"button": 0})
            actions.append(action)
        self.send("/actions", {"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions}]})

    def touch(self, *fingers):
        """Moves fingers on a touch screen: for each the successive places in CSS pixels of the window."""
        event = lambda kind, points: self.send("/goog/cdp/execute", {"cmd": "Input.dispatchTouchEvent", "params": {"type": kind, "touchPoints": points}})
        at = lambda step: [{"x": places[step][0], "y": places[step][1], "id": k} for k, places in enumerate(fingers)]
        event("touchStart", at(0))
        for step in range(1, len(fingers[0])):
            event("touchMove", at(step))
        event("touchEnd", [])

    def dark(self, on):
        self.send("/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia",
                                        "params": {"features": [{"name": "prefers-color-scheme", "value": "dark" if on else "light"}]}})

    def log(self, kind):
        return self.send("/se/log", {"type": kind})

    def wait(self, condition, *values, seconds=60):
        end = time.monotonic() + seconds
        while not (value := self.run(condition, *values)):
            if time.monotonic() > end:
                raise RuntimeError(f"not within {seconds} s: {condition}")
            time.sleep(0.05)
        return value

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.send("/screenshot")))
