# SPDX-License-Identifier: Apache-2.0
"""The frame of all pages: the address, keys, colors, errors, drafts, and signing in."""

import contextlib
import json
import pathlib
import subprocess
import tempfile

from playwright.sync_api import expect

from workbench import Server

from .data import cell, rows
from .desk import Desk, check, equal

CONSOLE = pathlib.Path(__file__).resolve().parents[2] / "Console"
ACCOUNTS_MODEL = {
    "entities": {
        "User": {
            "attributes": {"email": {"type": "String", "minLength": 3}, "passwordHash": "String?", "role": "String?"},
            "relationships": {"notes": "[Note].owner"}, "unique": ["email"],
        },
        "Note": {"attributes": {"text": "String"}, "relationships": {"owner": "User?.notes"}},
    }
}
ACCOUNTS_RULES = {
    "identity": {"accounts": {"entity": "User", "name": "email", "password": "passwordHash", "roles": "role", "baseRole": "member"}, "anonymous": "public"},
    "roles": {"public": {}, "member": {"extends": ["public"]}},
    "rules": {
        "User": {"create": {"public": True}, "read": {"member": "SELF == $USER"}},
        "Note": {"read": {"member": "owner == $USER"}, "create": {"member": True}, "update": {"member": "owner == $USER"}, "set": {"owner": "$USER"}},
    },
}
RULES = {
    "identity": {"anonymous": "public"},
    "roles": {"public": {}, "editor": {"extends": ["public"]}, "admin": {"administers": True}},
    "rules": {"Tag": {"read": {"public": True}}, "Visit": {"read": {"public": True}, "update": {"public": "path == 'mine'"}}, "Post": {"read": {"editor": True}, "update": {"editor": True}, "properties": {"views": {"write": []}}}},
}


def try_the_first_paint_is_small_and_quick(desk):
    page = desk.open()
    expect(rows(page).first).to_be_visible()
    sizes = page.evaluate("performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation')).filter((one) => !one.name.includes('/api')).map((one) => [one.name, one.encodedBodySize])")
    total = sum(size for _, size in sizes)
    check(total < 120_000, f"the first page needs {total} bytes: {sorted(sizes, key=lambda one: -one[1])[:8]}")
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    print(f"    {total / 1000:.0f} KB, the first paint after {paint:.0f} ms")


def try_keys_lead_to_pages_and_lists_of_keys(desk):
    page = desk.open("#/data/Tag")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Shortcuts")).to_contain_text("Search")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    page.wait_for_url("**/#/object/tags/new")
    expect(page).to_have_title("New Tag · Outcrop")
    page.locator("main").focus()
    page.keyboard.press("g")
    page.keyboard.press("d")
    page.wait_for_url("**/#/data")
    page.go_back()
    expect(page.get_by_role("heading", name="New Tag")).to_be_visible()


def try_colors_are_chosen_and_remembered(desk):
    page = desk.open("#/data/Tag")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("menuitemcheckbox", name="Dark").click()
    dark = page.evaluate(ground)
    check(light != dark, "the colors are the same")
    page.reload()
    equal(page.evaluate(ground), dark, "the remembered color")


def try_errors_have_a_way_out(desk):
    page = desk.open("#/data/Nothing")
    expect(page.get_by_role("alert")).to_contain_text("There is no entity “Nothing”")
    page.goto(desk.url + "/#/data/Tag")
    expect(rows(page).first).to_be_visible()
    page.goto(desk.url + "/#/data/Tga")
    expect(page.get_by_role("alert")).to_contain_text("There is no entity “Tga”")
    page.get_by_role("link", name="All data").click()
    expect(rows(page).first).to_be_visible()
    page = desk.open("#/object/posts/999999")
    expect(page.get_by_role("alert")).to_be_visible()
    page.route("**/api/**", lambda route: route.abort())
    page.goto(desk.url + "/#/data/Tag")
    expect(page.get_by_text("The server can't be reached.").first).to_be_visible()
    page.unroute("**/api/**")
    page.get_by_role("button", name="Refresh").click()
    expect(rows(page).first).to_be_visible()
    desk.reports = [text for text in desk.reports if "ERR_FAILED" not in text]


def try_a_draft_is_edited_undone_and_saved(desk):
    draft = desk.ask("POST", "/api/contexts", {"name": "Trial"})["context"]
    page = desk.open("#/data/Tag?sort=name")
    page.evaluate(f"sessionStorage.setItem('outcrop.draft', '{draft}')")
    page.reload()
    bar = page.get_by_role("region", name="Draft")
    expect(bar).to_contain_text("Trial")
    expect(rows(page).first).to_be_visible()
    before = cell(page, 0, "name").inner_text()
    cell(page, 0, "name").focus()
    page.keyboard.press("F2")
    page.keyboard.press("Control+A")
    page.keyboard.type("aaa in a draft")
    page.keyboard.press("Enter")
    expect(bar).to_contain_text("1 changed")
    equal(desk.ask("GET", "/api/tags?name=aaa+in+a+draft&result=count")["count"], 0, "tags outside of the draft")
    page.keyboard.press("Control+z")
    expect(bar).to_contain_text("no changes yet")
    expect(cell(page, 0, "name")).to_have_text(before)
    page.keyboard.press("Control+Shift+z")
    expect(cell(page, 0, "name")).to_have_text("aaa in a draft")
    bar.get_by_role("button", name="Undo").press("Enter")
    expect(bar.get_by_role("button", name="Redo")).to_be_focused()
    page.keyboard.press("Enter")
    expect(bar.get_by_role("button", name="Undo")).to_be_focused()
    bar.get_by_role("button", name="Save").click()
    expect(bar).to_contain_text("no changes yet")
    saved = desk.ask("GET", "/api/tags?name=aaa+in+a+draft")["items"]
    equal(len(saved), 1, "tags after the save")
    bar.get_by_role("button", name="Leave").click()
    expect(bar).to_be_hidden()
    desk.ask("DELETE", f"/api/contexts/{draft}")
    desk.ask("PATCH", f"/api/{saved[0]['_id']}", {"name": before})


def try_the_frame_says_that_the_server_cant_be_reached(desk):
    page = desk.open("#/model")
    banner = page.get_by_text("The server can't be reached.", exact=True)
    page.get_by_role("link", name="Drafts").wait_for()
    desk.context.set_offline(True)
    page.evaluate("import('./api.js').then(({get}) => get('/api')).catch(() => {})")
    expect(banner).to_have_count(1)
    page.get_by_role("link", name="Drafts").click()
    expect(page.get_by_text("This can't be shown")).to_be_visible()
    desk.context.set_offline(False)
    expect(banner).to_be_hidden()
    expect(page.locator("h1")).to_have_text("Drafts")
    desk.reports = [report for report in desk.reports if "ERR_INTERNET_DISCONNECTED" not in report]


def try_signing_in_shows_what_one_may_see(desk):
    with tempfile.TemporaryDirectory() as folder:
        access = pathlib.Path(folder) / "access.json"
        access.write_text(json.dumps(RULES))
        served = ("--public", str(CONSOLE), "--log-level", "error", "--access", str(access))
        store = f"{folder}/Demo.sqlite"
        with Server(desk.outcrop, folder, f"sqlite:{store}", arguments=served) as server, Desk(desk.browser, server.url, desk.name) as seat:
            def key(role):
                return subprocess.run([desk.outcrop, "keys", "add", store, "--role", role, "--name", role], capture_output=True, text=True, check=True).stdout.strip()

            editor = key("editor")
            requests = []
            seat.context.on("request", lambda request: requests.append(request.url))
            page = seat.open("#/data")
            expect(page.locator(".side a")).to_have_text(["Tag124", "Visit124"])
            expect(rows(page).first).to_be_visible()
            cell(page, 0, "name").focus()
            page.keyboard.press("F2")
            equal(page.locator(".cell.editing").count(), 0, "cells that are edited without a rule")
            equal(page.get_by_role("button", name="New").count(), 0, "buttons for new objects")
            page.goto(server.url + "/#/data/Visit")
            cell(page, 0, "path").focus()
            page.keyboard.press("F2")
            page.keyboard.type("x")
            page.keyboard.press("Enter")
            page.get_by_role("alert").get_by_role("button", name="Sign in").click()
            expect(page.get_by_role("dialog", name="Sign in")).to_be_visible()
            page.keyboard.press("Escape")
            page.keyboard.press("Escape")
            sign_in(page, "ock_wrong")
            expect(page.get_by_role("dialog").get_by_role("alert")).to_be_visible()
            page.keyboard.press("Escape")
            # The server takes new keys within two seconds.
            page.wait_for_timeout(1500)
            sign_in(page, editor)
            expect(page.locator(".side a").first).to_contain_text("Post")
            page.goto(server.url + "/#/object/posts/1")
            expect(page.locator(".field.read-only", has_text="views")).to_be_visible()
            equal(page.get_by_label("views", exact=True).count(), 0, "fields for what can't be written")
            check(not any("history/stream" in url for url in requests), "the history is requested by those who may not read it")
            page.get_by_role("button", name="Menu").click()
            page.get_by_role("menuitem", name="Sign out").click()
            expect(page.get_by_role("alert").first).to_be_visible()
            expect(page.get_by_role("button", name="Sign in")).to_be_visible()


def try_accounts_sign_in_with_a_password(desk):
    with tempfile.TemporaryDirectory() as folder, accounts(desk, folder) as (server, seat):
        seat.ask("POST", "/api/auth/sign-up", {"name": "ana@example.org", "password": "correct horse"})
        page = seat.open("#/data/Note")
        page.get_by_role("button", name="Sign in").click()
        dialog = page.get_by_role("dialog", name="Sign in")
        dialog.get_by_label("Name").fill("ana@example.org")
        dialog.get_by_label("Password").fill("wrong horse")
        page.keyboard.press("Enter")
        expect(dialog.get_by_role("alert")).to_be_visible()
        check("POST" not in dialog.inner_text(), "people are told to send requests")
        dialog.get_by_label("Password").fill("correct horse")
        page.keyboard.press("Enter")
        expect(page.locator(".side")).to_contain_text("Note")
        page.keyboard.press("n")
        page.wait_for_url("**/#/object/Note/new")
        page.locator(".object-form").get_by_label("text").fill("a note of mine")
        page.keyboard.press("Control+s")
        expect(page.locator("#toasts")).to_contain_text("Created")
        # An access token that has expired is renewed.
        page.evaluate("sessionStorage.setItem('outcrop.token', 'expired')")
        page.goto(server.url + "/?again#/data/Note")
        expect(rows(page).first).to_contain_text("a note of mine")
        check(page.evaluate("sessionStorage.getItem('outcrop.token')") != "expired", "the token wasn't renewed")


def try_a_changed_session_leaves_what_is_edited(desk):
    with tempfile.TemporaryDirectory() as folder, accounts(desk, folder) as (server, seat):
        tokens = seat.ask("POST", "/api/auth/sign-up", {"name": "ana@example.org", "password": "correct horse"})
        note = seat.ask("POST", "/api/Note", {"text": "before"}, {"Authorization": f"Bearer {tokens['token']}"})["_id"]
        page = seat.open("#/data/Note")
        keep(page, tokens)
        page.goto(f"{server.url}/?signed-in#/object/{note}")
        text = page.locator(".object-form").get_by_label("text")
        text.fill("not saved yet")
        expire(page)
        page.evaluate("import('./api.js').then(({get}) => get('/api'))")
        check(page.evaluate("sessionStorage.getItem('outcrop.token')") != tokens["token"], "the token wasn't renewed")
        page.wait_for_timeout(500)
        expect(text).to_have_value("not saved yet")
        page.get_by_role("button", name="Menu").click()
        page.get_by_role("menuitem", name="Sign out").click()
        page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
        expect(text).to_have_value("not saved yet")
        # The session has ended elsewhere.
        seat.ask("POST", "/api/auth/sign-out", {"everywhere": True}, {"Authorization": f"Bearer {page.evaluate('sessionStorage[`outcrop.token`]')}"})
        page.keyboard.press("Control+s")
        dialog = page.get_by_role("dialog", name="Sign in")
        dialog.get_by_label("Name").fill("ana@example.org")
        dialog.get_by_label("Password").fill("correct horse")
        page.keyboard.press("Enter")
        expect(dialog).to_have_count(0)
        expect(text).to_have_value("not saved yet")
        page.keyboard.press("Control+s")
        expect(page.locator("#toasts")).to_contain_text("Saved")
        text.fill("dropped")
        page.get_by_role("button", name="Menu").click()
        page.get_by_role("menuitem", name="Sign out").click()
        page.get_by_role("dialog").get_by_role("button", name="Leave").click()
        expect(page.get_by_text("This can't be shown")).to_be_visible()
        page.keyboard.press("Escape")


def try_a_name_in_the_history_or_the_end_of_a_draft_leaves_what_is_edited(desk):
    draft = desk.ask("POST", "/api/contexts", {})["context"]
    page = desk.open("#/object/tags/9")
    page.evaluate(f"import('./session.js').then(({{session}}) => session.change({{draft: '{draft}'}}))")
    expect(page.get_by_role("region", name="Draft")).to_be_visible()
    page.wait_for_timeout(500)
    page.get_by_label("name").fill("not saved yet")
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("menuitem", name="Your name in the history").click()
    page.get_by_label("Name", exact=True).fill("Anna")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Leave").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(page.get_by_label("name")).to_have_value("not saved yet")
    desk.ask("DELETE", f"/api/contexts/{draft}")
    page.evaluate("import('./session.js').then(({reportChange}) => reportChange())")
    expect(page.locator("#toasts")).to_contain_text("The draft has ended.")
    expect(page.get_by_role("region", name="Draft")).to_be_hidden()
    expect(page.get_by_label("name")).to_have_value("not saved yet")
    page.get_by_role("button", name="Revert").click()


def try_a_name_in_the_history_may_have_any_letters(desk):
    page = desk.open("#/object/tags/10")
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("menuitem", name="Your name in the history").click()
    page.get_by_label("Name", exact=True).fill("Jürgen Łukasz 山田")
    page.keyboard.press("Enter")
    page.get_by_label("color", exact=True).fill("#123456")
    page.keyboard.press("Control+s")
    expect(page.locator("#toasts")).to_contain_text("Saved")
    equal(desk.ask("GET", "/api/tags/10/history")["transactions"][-1]["author"], "Jürgen Łukasz 山田", "the author")


def try_a_busy_server_or_a_duplicated_window_ends_no_session(desk):
    with tempfile.TemporaryDirectory() as folder, accounts(desk, folder) as (server, seat):
        tokens = seat.ask("POST", "/api/auth/sign-up", {"name": "ana@example.org", "password": "correct horse"})
        one, other = seat.open("#/data/Note"), seat.open("#/data/Note")
        for page in (one, other):
            keep(page, tokens)
            page.goto(f"{server.url}/?signed-in#/data/User")
            expect(rows(page).first).to_contain_text("ana@example.org")
            expire(page)
        one.route("**/api/auth/refresh", lambda route: route.fulfill(status=503, json={"title": "Busy", "status": 503}))
        ask = "import('./api.js').then(({get}) => get('/api/User')).then(({items}) => items.length, (error) => error.status)"
        equal(one.evaluate(ask), 503, "the answer of a busy server")
        equal(one.evaluate("sessionStorage.getItem('outcrop.refreshToken')"), tokens["refreshToken"], "the refresh token")
        one.unroute("**/api/auth/refresh")
        started = "window.answer = " + ask
        one.evaluate(f"{{ {started}; }}")
        equal(other.evaluate(ask), 1, "the accounts in the other window")
        equal(one.evaluate("window.answer"), 1, "the accounts in the one window")
        expire(one)
        equal(one.evaluate(ask), 1, "the accounts after the next renewal")
        expire(other)
        equal(other.evaluate(ask), 1, "the accounts after the renewal in the other window")
        seat.reports = [report for report in seat.reports if "status of 503" not in report]


@contextlib.contextmanager
def accounts(desk, folder):
    """A server with accounts, and a person at it."""
    model, access = pathlib.Path(folder) / "Notes.json", pathlib.Path(folder) / "access.json"
    model.write_text(json.dumps(ACCOUNTS_MODEL))
    access.write_text(json.dumps(ACCOUNTS_RULES))
    served = ("--public", str(CONSOLE), "--log-level", "error", "--access", str(access))
    store = ["--model", str(model), "--store", f"sqlite:{folder}/Notes.sqlite"]
    with Server(desk.outcrop, folder, served=store, arguments=served) as server, Desk(desk.browser, server.url, desk.name) as seat:
        yield server, seat


def keep(page, tokens):
    """Makes a window have a session when it is loaded the next time."""
    for name in ["token", "refreshToken"]:
        page.evaluate(f"sessionStorage.setItem('outcrop.{name}', '{tokens[name]}')")


def expire(page):
    """Makes the access token of a window one that isn't valid any more."""
    page.evaluate("import('./session.js').then(({session}) => { session.token = 'expired'; })")


def try_the_tutorial_is_used_by_an_administrator_and_a_member(desk):
    """The accounts' password is no property of requests, and rules say what can be written and what they set."""
    with tempfile.TemporaryDirectory() as folder:
        guide = (CONSOLE.parent / "docs/tutorial.md").read_text()
        for name in ["Fieldbook.json", "access.json"]:
            (pathlib.Path(folder) / name).write_text(guide.split(f"cat > {name} <<'END'\n")[1].split("\nEND")[0])
        served = ("--public", str(CONSOLE), "--log-level", "error", "--access", f"{folder}/access.json")
        store = f"{folder}/Fieldbook.sqlite"
        added = [f"{folder}/Fieldbook.json", "--store", f"sqlite:{store}"]
        with Server(desk.outcrop, folder, served=added, arguments=served) as server, Desk(desk.browser, server.url, desk.name) as seat:
            page = seat.open("#/data/Species")
            page.get_by_role("button", name="Sign in").click()
            page.get_by_role("tab", name="New account").click()
            dialog = page.get_by_role("dialog", name="Sign in")
            dialog.get_by_label("Name").fill("Ana")
            dialog.get_by_label("Password").fill("correct horse")
            page.keyboard.press("Enter")
            dialog.get_by_label("email").fill("ana@example.org")
            page.keyboard.press("Enter")
            expect(dialog).to_have_count(0)
            page.get_by_role("button", name="Menu").click()
            expect(page.get_by_role("menuitem", name="Ana")).to_contain_text("member")
            page.keyboard.press("Escape")
            page.goto(server.url + "/#/object/sightings/new")
            expect(page.locator(".field.read-only", has_text="observer")).to_contain_text("set by the rules")
            equal(page.get_by_label("confirmed").count(), 0, "fields for what only editors write")
            page.goto(server.url + "/#/access")
            expect(page.get_by_role("rowheader", name="You are")).to_be_visible()
            equal(page.get_by_text("See it as another").count(), 0, "views of others for a member")
            page.get_by_role("button", name="Sign out").click()
            key = subprocess.run([desk.outcrop, "keys", "add", store, "--role", "admin", "--name", "me"], capture_output=True, text=True, check=True)
            page.wait_for_timeout(1500)
            sign_in(page, key.stdout.strip())
            page.goto(server.url + "/#/data/Observer")
            expect(rows(page).first).to_contain_text("Ana")
            page.goto(server.url + "/#/access")
            page.get_by_label("Role or account").fill("role=member")
            page.get_by_role("button", name="See it", exact=True).click()
            expect(page.get_by_role("button", name="as member")).to_be_visible()


def try_an_administrator_reads_and_tests_the_rules(desk):
    with tempfile.TemporaryDirectory() as folder:
        access = pathlib.Path(folder) / "access.json"
        access.write_text(json.dumps(RULES))
        served = ("--public", str(CONSOLE), "--log-level", "error", "--access", str(access))
        store = f"{folder}/Demo.sqlite"
        with Server(desk.outcrop, folder, f"sqlite:{store}", arguments=served) as server, Desk(desk.browser, server.url, desk.name) as seat:
            added = subprocess.run([desk.outcrop, "keys", "add", store, "--role", "admin", "--name", "me"], capture_output=True, text=True, check=True)
            page = seat.open("#/access")
            equal(page.get_by_role("heading", name="Rules", exact=True).count(), 0, "rules for those who don't administer")
            sign_in(page, added.stdout.strip())
            expect(page.get_by_role("rowheader", name="You are")).to_be_visible()
            expect(page.get_by_role("row", name="You are")).to_contain_text("key:me")
            rules = page.get_by_role("table", name="Rules for Visit")
            expect(rules).to_contain_text('path == "mine"')
            expect(rules.get_by_role("row", name="delete")).to_contain_text("nobody")
            expect(page.get_by_role("table", name="Properties of Post")).to_contain_text("nobody")
            table = page.get_by_role("table", name="Expectations")
            equal(table.get_by_role("textbox").count() + table.get_by_role("combobox").count(), 4, "fields of the first expectation")
            table.get_by_label("Who").fill("public")
            table.get_by_label("What").select_option("read")
            table.get_by_label("Object or entity").fill("tags/1")
            page.get_by_role("button", name="Test", exact=True).click()
            expect(table).to_contain_text("It may.")
            table.get_by_label("Expected").select_option("may")
            page.get_by_role("button", name="Expectation", exact=True).click()
            row = table.get_by_role("row").nth(2)
            row.get_by_label("Object or entity").fill("posts/1")
            page.get_by_role("button", name="Test", exact=True).click()
            expect(page.get_by_text("1 of 2 not as expected")).to_be_visible()
            expect(row).to_contain_text("It may not.")
            with page.expect_download() as download:
                page.get_by_role("button", name="Download").click()
            file = pathlib.Path(folder) / "expectations.json"
            download.value.save_as(file)
            result = subprocess.run([desk.outcrop, "access", "test", str(access), str(file), "--store", store], capture_output=True, text=True)
            check(result.returncode == 1 and "public may read posts/1: It may not." in result.stdout, f"the command says {result}")
            # Expectations are remembered, and read from a file.
            page.reload()
            expect(table.get_by_label("Object or entity").nth(1)).to_have_value("posts/1")
            row.get_by_role("button", name="Remove the expectation").click()
            expect(table.get_by_label("Object or entity")).to_have_count(1)
            page.get_by_label("A file of expectations").set_input_files(str(file))
            expect(table.get_by_label("Object or entity")).to_have_count(2)


def sign_in(page, key):
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("menuitem", name="Sign in").click()
    expect(page.get_by_role("dialog", name="Sign in")).to_be_visible()
    if page.get_by_role("tab", name="Key").count() > 0:
        page.get_by_role("tab", name="Key").click()
    page.get_by_label("Key or token").fill(key)
    page.get_by_role("button", name="Use it").click()
