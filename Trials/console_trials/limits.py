# SPDX-License-Identifier: Apache-2.0
"""What the console does where something can't be done: read-only stores, refused requests, very wide entities."""

import json
import pathlib
import tempfile

from playwright.sync_api import expect
from workbench import Server

from .data import rows
from .desk import equal

CONSOLE = pathlib.Path(__file__).resolve().parent.parent.parent / "Console"


def wide_model():
    """An entity with more relationships than an answer embeds."""
    names = [f"place{number}" for number in range(25)]
    return {
        "entities": {
            "Place": {"attributes": {"name": "String"}},
            "Journey": {
                "attributes": {"name": "String"}, "relationships": {name: {"to": "Place", "optional": True} for name in names},
            },
        },
    }


def try_nothing_can_be_changed_in_a_read_only_store(desk):
    with tempfile.TemporaryDirectory() as folder:
        store, shown = f"{folder}/Tags.sqlite", ("--public", str(CONSOLE), "--log-level", "error")
        with Server(desk.outcrop, folder, store, arguments=shown):
            pass
        served = ["--demo", "--store", store, "--read-only"]
        with Server(desk.outcrop, folder, arguments=shown, served=served) as server:
            desk.url = server.url
            page = desk.open("#/data/Tag")
            expect(rows(page).first).to_be_visible()
            expect(page.get_by_text("read-only")).to_be_visible()
            equal(page.get_by_role("button", name="New").count(), 0, "buttons for new objects")
            page.get_by_role("button", name="More").click()
            equal(page.get_by_role("menuitem", name="Import").count(), 0, "entries for imports")
            page.goto(desk.url + "/#/object/tags/1")
            expect(page.locator("h1")).not_to_have_text("Tag")
            expect(page.locator(".field.read-only").first).to_be_visible()
            equal(page.get_by_role("button", name="Save").count(), 0, "buttons that save")


def try_a_refused_list_is_requested_once(desk):
    page = desk.open("#/data/Tag")
    expect(rows(page).first).to_be_visible()
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(desk.url + "/#/data/Tag?where=nme%20%3D%3D%201")
    expect(page.get_by_text("nme").first).to_be_visible()
    page.wait_for_timeout(1500)
    lists = [url for url in requests if "where=nme" in url]
    equal(len(lists), 1, "requests for the refused list")


def try_an_entity_may_have_very_many_relationships(desk):
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "Journeys.json"
        model.write_text(json.dumps(wide_model()))
        served = [str(model), "--store", f"{folder}/Journeys.sqlite"]
        with Server(desk.outcrop, folder, arguments=("--public", str(CONSOLE), "--log-level", "error"), served=served) as server:
            desk.url = server.url
            places = [desk.ask("POST", "/api/Place", {"name": f"Here {number}"})["_id"] for number in (1, 2)]
            journey = desk.ask("POST", "/api/Journey", {"name": "Far", "place0": places[0], "place24": places[1]})["_id"]
            page = desk.open("#/data/Journey")
            expect(rows(page).first).to_contain_text("Far")
            expect(rows(page).first).to_contain_text("Here 1")
            page.goto(f"{desk.url}/#/object/{journey}")
            expect(page.locator("h1")).to_have_text("Far")
            expect(page.get_by_text("Here 1").first).to_be_visible()
            expect(page.get_by_text("Here 2").first).to_be_visible()
