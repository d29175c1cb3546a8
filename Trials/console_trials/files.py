# SPDX-License-Identifier: Apache-2.0
"""Files that are imported into a list."""

import json
import pathlib
import tempfile

from playwright.sync_api import expect
from workbench import Server

from .data import rows
from .desk import equal

CONSOLE = pathlib.Path(__file__).resolve().parents[2] / "Console"


def choose(page, content, name="table.csv"):
    """Chooses a file in the dialog."""
    page.get_by_label("File").set_input_files({"name": name, "mimeType": "text/csv", "buffer": content})


def ask_for_file(page):
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Import").click()


def try_a_table_that_would_be_misread_is_refused(desk):
    page = desk.open("#/data/Post")
    ask_for_file(page)
    problem = page.locator("dialog .problem")
    head = "title,slug,createdAt,author,published\n"
    line = "{},a-b,2026-01-01T00:00:00Z,users/101,{}\n"
    for table, message in [
        (head + line.format("On", "true") + line.format("Off", "wahr"), "Line 3: published needs true or false, not “wahr”."),
        (head + line.format('5" pipe', "no") + line.format('6" pipe', "no"), "Line 2: a cell with quotation marks is written so"),
        (head + line.format('"5" pipe', "no"), "Line 2: a cell with quotation marks is written so"),
        (head + line.format("Größe", "no"), "isn't in UTF-8"),
    ]:
        choose(page, table.encode("latin-1" if "ö" in table else "utf-8"))
        expect(problem).to_contain_text(message)
    choose(page, (head + line.format('"5"" ""pipe"""', "No")).encode("utf-8-sig"))
    expect(page.locator("dialog .note")).to_contain_text("1 object would be inserted")
