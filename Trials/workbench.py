# SPDX-License-Identifier: Apache-2.0
"""What trials need: a server with the demo model, and an environment with tools of others, which `workbench.py` fetches."""

import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time
import venv

TOOLS = ["schemathesis==4.32.5", "openapi-python-client==0.29.1"]


def fail(text):
    raise SystemExit(f"{pathlib.Path(sys.argv[0]).name}: {text}")


def environment():
    """The folder of the tools' programs, which are installed where they aren't yet."""
    folder = pathlib.Path(__file__).resolve().parent.parent / ".build/trials"
    installed = folder / "installed"
    if not installed.exists() or installed.read_text().split() != TOOLS:
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([folder / "bin/python", "-m", "pip", "install", "--quiet", *TOOLS], check=True)
        installed.write_text("\n".join(TOOLS))
    return folder / "bin"


class Server:
    """The server for as long as a with statement lasts. It must be there at the end of that, and end in an orderly way.

    It has a port that is free, where none is named, and what is wrong is in its log, where the arguments don't say otherwise.
    """

    def __init__(self, outcrop, folder, store="memory:", port=None, arguments=("--log-level", "error")):
        self.outcrop, self.store, self.port, self.arguments = outcrop, store, port, arguments
        self.log = pathlib.Path(folder) / "log"

    def __enter__(self):
        if self.port is None:
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [
                    self.outcrop, "serve", "--demo", "--store", self.store, "--listen", f"127.0.0.1:{self.port}",
                    *self.arguments,
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


if __name__ == "__main__":
    environment()
