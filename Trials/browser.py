# SPDX-License-Identifier: Apache-2.0
"""A Chromium without a window, told what to do over its debugging pipe."""

import fcntl
import json
import os
import shutil
import subprocess
import time

from workbench import fail

PROGRAMS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]


def program():
    """The browser that is installed; None where none is."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class Browser:
    """A browser for as long as a with statement lasts. Names that end in .example are this machine to it."""

    def __init__(self, folder):
        self.folder = folder
        self.number = 0

    def __enter__(self):
        # It reads commands from descriptor 3, and writes answers to 4.
        (commands, send), (receive, answers) = os.pipe(), os.pipe()
        commands, answers = (fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (commands, answers))

        def place():
            os.dup2(commands, 3)
            os.dup2(answers, 4)

        switches = [
            "--headless", "--remote-debugging-pipe", f"--user-data-dir={self.folder}", "--no-first-run", "--disable-gpu",
            "--disable-dev-shm-usage", "--host-resolver-rules=MAP *.example 127.0.0.1",
        ]
        # Its sandbox isn't there for root.
        switches += ["--no-sandbox"] if os.geteuid() == 0 else []
        self.process = subprocess.Popen(
            [program(), *switches, "about:blank"], preexec_fn=place, pass_fds=(3, 4), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for end in (commands, answers):
            os.close(end)
        self.output, self.input = os.fdopen(send, "wb", buffering=0), os.fdopen(receive, "rb", buffering=0)
        self.unread = b""
        return self

    def __exit__(self, *error):
        try:
            self.call("Browser.close")
            self.process.wait(timeout=20)
        except (Exception, SystemExit):  # What it was to show is known by then.
            self.process.kill()
            self.process.wait()

    def call(self, method, session=None, **parameters):
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if session:
            command["sessionId"] = session
        self.output.write(json.dumps(command).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == self.number:
                if "error" in message:
                    fail(f"the browser refuses {method}: {message['error']}")
                return message["result"]

    def message(self):
        while b"\0" not in self.unread:
            more = self.input.read(65536)
            if not more:
                fail("the browser has ended")
            self.unread += more
        message, self.unread = self.unread.split(b"\0", 1)
        return json.loads(message)

    def page(self, url):
        return Page(self, url)


class Page:
    """A tab with a page."""

    def __init__(self, browser, url):
        self.browser = browser
        target = browser.call("Target.createTarget", url=url)["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.wait(f"location.href.startsWith({json.dumps(url)}) && document.readyState === 'complete'")

    def run(self, script):
        """The value of an expression, awaited if it is a promise."""
        result = self.browser.call(
            "Runtime.evaluate", self.session, expression=script, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in result:
            fail(f"a script failed: {result['exceptionDetails'].get('exception', {}).get('description')}")
        return result["result"].get("value")

    def wait(self, condition):
        """Waits until an expression holds."""
        for _ in range(1500):
            if self.run(condition):
                return
            time.sleep(0.02)
        fail(f"it isn't so in the browser: {condition}; the page is {self.run('document.documentElement.outerHTML')[:2000]}")
