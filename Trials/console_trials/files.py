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


def try_composites_go_out_and_in(desk):
    model = {
        "composites": {
            "Point": {"attributes": {"x": "Double", "isExact": "Bool?"}}, "Spot": {"attributes": {"name": "String?", "point": "Point?"}},
        },
        "entities": {"Place": {"attributes": {"name": "String", "spot": "Spot?"}}},
    }
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "Places.json"
        path.write_text(json.dumps(model))
        served = [str(path), "--store", f"{folder}/Places.sqlite"]
        with Server(desk.outcrop, folder, arguments=("--public", str(CONSOLE), "--log-level", "error"), served=served) as server:
            desk.url = server.url
            spot = {"name": "7", "point": {"x": 1.5, "isExact": True}}
            desk.ask("POST", "/api/Place", {"name": "Here", "spot": spot})
            desk.ask("POST", "/api/Place", {"name": "Nowhere"})
            page = desk.open("#/data/Place")
            expect(rows(page)).to_have_count(2)
            with page.expect_download() as download:
                page.get_by_role("button", name="More").click()
                page.get_by_role("menuitem", name="Export as CSV").click()
            table = pathlib.Path(download.value.path()).read_bytes()
            ask_for_file(page)
            choose(page, table.replace(b"1.5", b"one"))
            expect(page.locator("dialog .problem")).to_contain_text("Line 2: spot.point.x needs a number, not “one”.")
            choose(page, table)
            expect(page.locator("dialog .note")).to_contain_text("2 objects would be inserted")
            page.get_by_role("button", name="Import", exact=True).click()
            expect(page.locator("#toasts")).to_contain_text("2 objects inserted.")
            places = desk.ask("GET", "/api/Place?select=spot&sort=name")["items"]
            equal([place["spot"] for place in places], [spot, spot, None, None], "the composites")
