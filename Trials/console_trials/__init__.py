# SPDX-License-Identifier: Apache-2.0
"""The trials of the web console, by what they look at."""

import time

from . import accessible, data, editing, files, frame, limits, lists, objects, pictures, workspace
from .desk import Desk

MODULES = [frame, data, lists, editing, files, objects, workspace, limits, accessible]


def run(browser, url, outcrop, only):
    """Runs the trials whose names have a word, and returns how many there were."""
    count = 0
    for module in MODULES:
        for name, trial in list(vars(module).items()):
            if name.startswith("try_") and only in f"{module.__name__.split('.')[-1]}.{name}":
                begin = time.monotonic()
                with Desk(browser, url, f"{module.__name__.split('.')[-1]}.{name[4:]}") as desk:
                    desk.outcrop = outcrop
                    trial(desk)
                print(f"  {desk.name.replace('_', ' ')}: {time.monotonic() - begin:.1f} s", flush=True)
                count += 1
    return count
