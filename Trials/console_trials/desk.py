# SPDX-License-Identifier: Apache-2.0
"""A person at a desk: windows of the console, and what went wrong in them."""

import json
import tempfile
import urllib.request

from workbench import fail

# An answer that isn't a success is in the browser's console. The trials look at the messages on the page instead.
# Trials with a server of their own may end it before the window is closed.
EXPECTED = (
    "Failed to load resource: the server responded with a status of 4",
    "Failed to load resource: net::ERR_CONNECTION_REFUSED",
)


class Desk:
    """One browser profile. When it is left, nothing may have been reported to the browser's console."""

    def __init__(self, browser, url, name="", width=1280, height=800, **options):
        self.browser, self.url, self.name, self.reports = browser, url, name, []
        self.context = browser.new_context(viewport={"width": width, "height": height}, **options)
        self.context.set_default_timeout(8000)
        # Violations of the content security policy are reported to the console as errors, and here as events.
        self.context.add_init_script(
            "addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI));"
        )

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None:
            for number, page in enumerate(self.context.pages):
                page.screenshot(path=f"{tempfile.gettempdir()}/console-failure-{number}.png")
            print(f"  {self.name} failed; {tempfile.gettempdir()}/console-failure-0.png shows it")
        self.context.close()
        if kind is None and self.reports:
            fail(f"{self.name}: the browser's console has {self.reports}")

    def open(self, address=""):
        """A window with a page of the console."""
        page = self.context.new_page()
        page.on("console", self.hear)
        page.on("pageerror", lambda error: self.reports.append(str(error)))
        page.goto(self.url + "/" + address)
        page.wait_for_selector("main > :not(p)")
        return page

    def hear(self, message):
        if message.type in ("error", "warning") and not message.text.startswith(EXPECTED):
            self.reports.append(message.text)

    def ask(self, method, path, body=None, headers=None, expected=None):
        """Sends a request as another client would, and returns the JSON of the answer."""
        data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        fields = {"Content-Type": "application/json", **(headers or {})}
        request = urllib.request.Request(self.url + path, data, fields, method=method)
        with urllib.request.urlopen(request, timeout=30) as response:
            content = response.read()
            return json.loads(content) if content else None


def check(condition, message):
    if not condition:
        fail(message)


def equal(found, expected, what):
    if found != expected:
        fail(f"{what}: {found!r}, not {expected!r}")
