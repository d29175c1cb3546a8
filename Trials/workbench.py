# SPDX-License-Identifier: Apache-2.0
"""What trials need: a server, clients of it that outlast it, and an environment with tools of others, which `workbench.py` fetches."""

import http.client
import json
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import venv

TOOLS = ["schemathesis==4.32.5", "openapi-python-client==0.29.1"]


def fail(text):
    raise SystemExit(f"{pathlib.Path(sys.argv[0]).name}: {text}")


def environment(tools=TOOLS, name="trials"):
    """The folder of the tools' programs, which are installed where they aren't yet."""
    folder = pathlib.Path(__file__).resolve().parent.parent / ".build" / name
    installed = folder / "installed"
    if not installed.exists() or installed.read_text().split() != tools:
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([folder / "bin/python", "-m", "pip", "install", "--quiet", *tools], check=True)
        installed.write_text("\n".join(tools))
    return folder / "bin"


def free_port():
    """A port of those that the system gives to no connection, which could otherwise take it before the server does."""
    while True:
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port := random.randrange(20_000, 32_000)))
                return port
            except OSError:
                pass


class Server:
    """The server for as long as a with statement lasts. It must be there at the end of that, and end in an orderly way.

    It serves the demo model and has a port that is free, where none is named. What is wrong is in its log, where the arguments don't
    say otherwise.
    """

    def __init__(self, outcrop, folder, store="memory:", port=None, arguments=("--log-level", "error"), served=None):
        self.outcrop, self.port, self.arguments = outcrop, port, arguments
        self.served = served or ["--demo", "--store", store]
        self.log = pathlib.Path(folder) / "log"

    def __enter__(self):
        if self.port is None:
            self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [
                    self.outcrop, "serve", *self.served, "--listen", f"127.0.0.1:{self.port}", *self.arguments,
                ],
                stdout=log, stderr=log,
            )
        for _ in range(1500):
            if self.process.poll() is not None:
                fail(f"the server ended at its start: {self.said()}")
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return self
            except OSError:
                time.sleep(0.02)
        self.process.kill()
        fail("the server doesn't listen")

    def __exit__(self, kind, error, trace):
        ended = self.process.poll()
        if ended is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                ended = self.process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                fail("the server doesn't end")
        elif kind is None:
            fail(f"the server ended with {ended} before it was told to: {self.said()}")
        if ended != 0:
            fail(f"the server ended with {ended}: {self.said()}")

    def memory(self):
        """What it has in memory, in MiB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    def sockets(self):
        return sum(kind.startswith("socket:") for kind in self.descriptors())

    def descriptors(self):
        """What its open descriptors lead to, but for those that it closes meanwhile."""
        for descriptor in pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir():
            try:
                yield os.readlink(descriptor)
            except FileNotFoundError:
                pass

    def said(self):
        return self.log.read_text(errors="replace")[-2000:]


class Gone(Exception):
    """The server didn't answer, so that it isn't known what it has done."""


class Place:
    """Where the server is just now."""

    def __init__(self):
        self.server = None
        self.is_up = threading.Event()


class Caller(threading.Thread):
    """Does one thing after another, chosen at random, with a server that may go away and come back."""

    def __init__(self, place, number, seed):
        super().__init__(daemon=True)
        self.place, self.number = place, number
        self.random = random.Random(seed * 1000 + number)
        self.connection, self.wrong, self.done = None, None, {}

    def attempt(self, kind, *arguments):
        """Does something, and counts it."""
        try:
            kind(*arguments)
            name = kind.__name__
        except Gone:
            name = "gone"
        self.done[name] = self.done.get(name, 0) + 1

    def find(self, what):
        """Something is wrong: it ends the run."""
        self.wrong = what
        raise ValueError(what)

    def request(self, method, path, body=None, fields=None):
        """The answer, or Gone where the server went away before there was one."""
        self.place.is_up.wait(60)
        fields = dict(fields or {})
        if body is not None:
            body, fields["Content-Type"] = json.dumps(body), "application/json"
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.place.server.port, timeout=60)
            self.connection.request(method, path, body, fields)
            response = self.connection.getresponse()
            return response, response.read()
        except (OSError, http.client.HTTPException):
            self.close()
            time.sleep(0.05)
            raise Gone()

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def ask(self, method, path, body=None, expected=(200,), fields=None):
        while True:
            response, content = self.request(method, path, body, fields)
            if response.status != 503:
                break
            time.sleep(0.05)
        if response.status not in expected:
            self.find(f"{method} {path} {body} is answered with {response.status}: {content[:500]}")
        return json.loads(content) if content else None

    def sure(self, method, path, body=None, expected=(200,)):
        """Of what may be done twice without harm."""
        while True:
            try:
                return self.ask(method, path, body, expected)
            except Gone:
                continue


if __name__ == "__main__":
    environment()
