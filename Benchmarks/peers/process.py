# SPDX-License-Identifier: Apache-2.0
"""A server's processes: starting, watching and ending them, and the load that wrk puts on them."""

import http.client
import os
import pathlib
import re
import resource
import signal
import socket
import subprocess
import threading
import time

HERE = pathlib.Path(__file__).parent
TICKS = os.sysconf("SC_CLK_TCK")
UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0}
CONNECTIONS = 64


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Process:
    """A server on loopback, in a session of its own, by which its workers are found."""

    def __init__(self, command, port, ready, log, folder=None, variables=None):
        self.port, self.log = port, log
        with open(log, "wb") as output:
            self.process = subprocess.Popen(
                [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                cwd=folder, env=os.environ | (variables or {}), start_new_session=True,
            )
        try:
            self.wait(ready)
        except BaseException:
            self.end()
            raise

    def wait(self, ready):
        for _ in range(1000):
            if self.process.poll() is not None:
                break
            try:
                self.request("GET", ready)
                return
            except OSError:
                time.sleep(0.02)
        raise SystemExit(f"run: {self.process.args[0]} doesn't answer:\n{self.log.read_text()[-2000:]}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        # A parent that was killed leaves its workers.
        for number in self.members():
            os.kill(number, signal.SIGKILL)

    def members(self):
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = path.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            # The state, the parent, the group, and the session.
            if int(fields[3]) == self.process.pid and fields[0] != "Z":
                found.append(int(path.parent.name))
        return found

    def request(self, method, path, body=None, kind="application/json", status=200):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, {"Content-Type": kind} if body else {})
            response = connection.getresponse()
            text = response.read()
        finally:
            connection.close()
        if response.status != status:
            raise SystemExit(f"run: {method} {path} is answered with {response.status}: {text[:500]}")
        return text

    def cpu(self):
        """Seconds of CPU time that all processes have used, in the program and in the kernel for it."""
        total = 0
        for number in self.members():
            fields = pathlib.Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
        return total / TICKS

    def memory(self):
        """MiB of all processes; pages that several share count once."""
        total = 0
        for number in self.members():
            text = pathlib.Path(f"/proc/{number}/smaps_rollup").read_text()
            total += int(re.search(r"^Pss:\s+(\d+)", text, re.MULTILINE)[1])
        return total / 1024


class PeakMemory:
    """The highest memory of a server while a block runs. Between samples it may have been higher."""

    def __init__(self, process):
        self.process, self.peak, self.done = process, 0, threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def watch(self):
        while True:
            self.peak = max(self.peak, self.process.memory())
            if self.done.wait(0.5):
                return

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()


def busy():
    """Seconds of CPU time that all programs of the machine have used on all cores."""
    fields = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    user, nice, system, _, _, interrupts, soft = map(int, fields[:7])
    return (user + nice + system + interrupts + soft) / TICKS


def own():
    """Seconds of CPU time of this program and of the runs of wrk that have ended."""
    parts = [resource.getrusage(kind) for kind in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(part.ru_utime + part.ru_stime for part in parts)


def load(process, path, body, keys, seed, seconds):
    """Sends a case's requests as fast as they are answered."""
    command = ["wrk", "-t2", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency", "--timeout", "20s"]
    command += ["-s", str(HERE / "requests.lua"), f"http://127.0.0.1:{process.port}", "--"]
    command += [path, body, str(keys), str(seed)]
    with PeakMemory(process) as memory:
        before, all_before, own_before, start = process.cpu(), busy(), own(), time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 60)
        elapsed = time.monotonic() - start
        cpu = process.cpu() - before
        others = busy() - all_before - (own() - own_before) - cpu
    text = done.stdout
    wrong = re.search(r"Non-2xx or 3xx responses: \d+|Socket errors: .*", text)
    if done.returncode or wrong:
        raise SystemExit(f"run: {path}: {wrong[0] if wrong else done.stderr}\n{process.log.read_text()[-2000:]}")
    requests = int(re.search(r"(\d+) requests in", text)[1])
    if not requests:
        raise SystemExit(f"run: {path}: nothing was answered in {seconds} s")
    amount, unit = re.search(r"99%\s+([\d.]+)(us|ms|s|m)", text).groups()
    return {
        "requests": requests,
        "rate": float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1]),
        "p99": float(amount) * UNITS[unit],
        "cpu": cpu / requests,
        "cores": cpu / elapsed,
        # What other programs used meanwhile, which the server could have used otherwise.
        "otherCores": max(0, others / elapsed),
        "peakMiB": memory.peak,
    }
