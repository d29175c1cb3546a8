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


def delayed(page, pattern, milliseconds=600):
    """Lets changes of objects take a while."""
    def answer(route):
        if route.request.method == "PATCH":
            page.wait_for_timeout(milliseconds)
        route.continue_()

    page.route(pattern, answer)


def try_a_cell_leaves_the_focus_where_it_went(desk):
    tag = desk.ask("POST", "/api/tags", {"name": "aaa focus"})
    page = desk.open("#/data/Tag?sort=name")
    delayed(page, "**/api/tags/*")
    search = page.get_by_role("searchbox")
    edit(page, 0, "name", "aaa focused")
    search.click()
    expect(cell(page, 0, "name")).to_have_text("aaa focused")
    expect(search).to_be_focused()
    edit(page, 0, "name", "aaa focus")
    cell(page, 0, "color").click()
    expect(cell(page, 0, "name")).to_have_text("aaa focus")
    expect(cell(page, 0, "color")).to_be_focused()
    edit(page, 0, "color", "green")
    cell(page, 2, "color").click()
    expect(page.locator("#toasts")).to_contain_text("What was typed wasn't saved: color doesn't match")
    expect(cell(page, 2, "color")).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(cell(page, 1, "color")).to_be_focused()
    edit(page, 0, "name", "aaa focused")
    page.keyboard.press("Enter")
    expect(cell(page, 1, "name")).to_be_focused()
    desk.ask("DELETE", f"/api/{tag['_id']}")


def try_a_cell_stays_open_in_another_window_and_out_of_sight(desk):
    tag = desk.ask("POST", "/api/tags", {"name": "aaa window"})
    page = desk.open("#/data/Tag?sort=name")
    edit(page, 0, "name", "aaa half")
    field = page.get_by_label("name of aaa window")
    page.evaluate("document.hasFocus = () => false")
    field.blur()
    page.wait_for_timeout(400)
    equal(desk.ask("GET", f"/api/{tag['_id']}")["name"], "aaa window", "the stored name")
    page.evaluate("delete document.hasFocus")
    field.focus()
    page.mouse.move(500, 500)
    page.mouse.wheel(0, 3000)
    expect(cell(page, 100, "name")).to_be_visible()
    expect(field).to_be_focused()
    page.keyboard.type(" done")
    page.keyboard.press("Enter")
    expect(cell(page, 0, "name")).to_have_text("aaa half done")
    expect(cell(page, 1, "name")).to_be_focused()
    desk.ask("DELETE", f"/api/{tag['_id']}")


def try_a_refused_cell_says_so_on_another_page(desk):
    tag = desk.ask("POST", "/api/tags", {"name": "aaa refused"})
    page = desk.open("#/data/Tag?sort=name")
    delayed(page, "**/api/tags/*")
    edit(page, 0, "name", "acorn")
    page.get_by_role("link", name="Drafts").click()
    expect(page.get_by_role("heading", name="Drafts")).to_be_visible()
    expect(page.locator("#toasts")).to_contain_text("must be unique")
    desk.ask("DELETE", f"/api/{tag['_id']}")


def try_a_relationship_is_chosen_in_a_cell(desk):
    page = desk.open("#/data/Post?sort=title")
    name = cell(page, 0, "inReplyTo")
    post = page.locator(".grid .line").first.get_by_role("checkbox").get_attribute("aria-label").split()[1]
    name.focus()
    page.keyboard.press("F2")
    page.keyboard.type("Early Canyon")
    page.locator(".suggestions li[aria-selected=true]", has_text="Early Canyon").wait_for()
    page.keyboard.press("Enter")
    expect(name).to_contain_text("Early Canyon")
    expect(name).to_be_focused()
    page.keyboard.press("F2")
    page.keyboard.press("ArrowDown")
    page.locator(".suggestions li", has_text="nil").wait_for()
    page.keyboard.press("Tab")
    page.wait_for_timeout(400)
    expect(name).to_contain_text("Early Canyon")
    desk.ask("PATCH", f"/api/{post}", {"inReplyTo": None})


def try_an_untouched_picker_chooses_nothing(desk):
    tags = desk.ask("GET", "/api/posts/5?select=tags&include=tags")["tags"]
    page = desk.open("#/object/posts/5")
    for key in ["Tab", "Enter"]:
        page.get_by_label("Add to tags").click()
        page.locator(".suggestions li").first.wait_for()
        page.keyboard.press(key)
    page.wait_for_timeout(400)
    equal(desk.ask("GET", "/api/posts/5?select=tags&include=tags")["tags"], tags, "the tags")


def try_an_undo_asks_before_it_overwrites(desk):
    tag = desk.ask("POST", "/api/tags", {"name": "aaa mine", "color": "#010203"})["_id"]
    page = desk.open("#/data/Tag?sort=name")
    edit(page, 0, "color", "#040506")
    page.keyboard.press("Enter")
    undo = page.get_by_role("button", name="Undo color")
    expect(undo).to_be_visible()
    desk.ask("PATCH", f"/api/{tag}", {"name": "aaa theirs", "color": "#070809"})
    expect(cell(page, 0, "color")).to_have_text("#070809")
    undo.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("#070809")
    dialog.get_by_role("button", name="Cancel").click()
    equal(desk.ask("GET", f"/api/{tag}")["color"], "#070809", "the color of others")
    page.route("**/api/tags/*", lambda route: route.fulfill(status=422, json={"title": "Not now"}))
    undo.press("Enter")
    expect(page.locator(".toast")).to_contain_text("Not now")
    page.unroute("**/api/tags/*")
    desk.ask("PATCH", f"/api/{tag}", {"color": "#040506"})
    undo.press("Enter")
    expect(cell(page, 0, "color")).to_have_text("#010203")
    equal(desk.ask("GET", f"/api/{tag}")["name"], "aaa theirs", "the name of others")
    expect(undo).to_have_count(0)
    # An edit that gives way to others' isn't one that can be undone.
    edit(page, 0, "color", "#0a0b0c")
    desk.ask("PATCH", f"/api/{tag}", {"color": "#0d0e0f"})
    page.keyboard.press("Enter")
    dialog.get_by_role("radio", name="color: theirs").check()
    dialog.get_by_role("button", name="Save").click()
    expect(cell(page, 0, "color")).to_have_text("#0d0e0f")
    expect(undo).to_have_count(0)
    desk.ask("DELETE", f"/api/{tag}")


def try_zeros_before_a_number_are_left_out(desk):
    page = desk.open("#/data/Post?sort=title")
    post = page.locator(".grid .line").first.get_by_role("checkbox").get_attribute("aria-label").split()[1]
    edit(page, 0, "views", "007")
    page.keyboard.press("Enter")
    expect(cell(page, 0, "views")).to_have_text("7")
    equal(desk.ask("GET", f"/api/{post}")["views"], 7, "the stored number")
    for text in ["[1 2,,3,]", "[1,]", '{"a": 1,}', '{"a": 1 "b": 2}', "[007]", "[1.]", "[truefalse]"]:
        page.goto(f"{desk.url}/#/object/{post}")
        page.get_by_label("metadata", exact=True).fill(text)
        expect(page.locator(".message", has_text="metadata isn't JSON")).to_be_visible()
        page.get_by_role("button", name="Revert").click()
