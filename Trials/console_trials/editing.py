# SPDX-License-Identifier: Apache-2.0
"""Editing in the cells of a list, and what becomes of the focus."""

from playwright.sync_api import expect

from .data import cell
from .desk import equal


def edit(page, place, name, text):
    """Types a text into a cell, which stays open."""
    cell(page, place, name).focus()
    page.keyboard.press("F2")
    page.keyboard.press("Control+A")
    page.keyboard.type(text)


def try_the_focus_stays_near_undo(desk):
    tag = desk.ask("POST", "/api/tags", {"name": "aaa undo"})
    page = desk.open("#/data/Tag?sort=name")
    for name, text in [("name", "aaa undone"), ("color", "#010203")]:
        edit(page, 0, name, text)
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name=f"Undo {name}")).to_be_visible()
    page.get_by_role("button", name="Undo color").press("Enter")
    expect(page.get_by_role("button", name="Undo name")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Undo name")).to_have_count(0)
    expect(page.locator(".grid .cell:focus")).to_be_visible()
    desk.ask("DELETE", f"/api/{tag['_id']}")
