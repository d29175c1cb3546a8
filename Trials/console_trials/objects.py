# SPDX-License-Identifier: Apache-2.0
"""The page of an object."""

import base64
import datetime
import json
import pathlib
import tempfile
import urllib.parse

from playwright.sync_api import expect
from workbench import Server

from .desk import check, equal

CONSOLE = pathlib.Path(__file__).resolve().parents[2] / "Console"
PICTURE = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mP8z8BQz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC")


def message(page, name):
    return page.locator(".field", has=page.get_by_label(name, exact=True)).locator(".message")


def try_values_are_checked_and_saved(desk):
    page = desk.open("#/object/posts/5")
    title = page.get_by_label("title")
    title.fill("")
    expect(message(page, "title *")).to_have_text("title needs a text.")
    title.fill("Changed here")
    page.get_by_label("views", exact=True).fill("many")
    expect(message(page, "views")).to_have_text("views needs a whole number.")
    page.get_by_label("rating", exact=True).fill("7")
    expect(message(page, "rating")).to_contain_text("at most 5")
    page.get_by_label("rating", exact=True).fill("4.5")
    page.get_by_label("views", exact=True).fill("12")
    page.get_by_label("price", exact=True).fill("19.900000000000000000001")
    page.get_by_label("metadata", exact=True).fill('{"a": 9007199254740993}')
    page.get_by_label("published").click()
    page.keyboard.press("Control+s")
    expect(page.locator("#toasts")).to_contain_text("Saved")
    post = desk.ask("GET", "/api/posts/5")
    equal((post["title"], post["views"], post["rating"]), ("Changed here", 12, 4.5), "the stored values")
    equal((post["price"], post["metadata"]), ("19.900000000000000000001", {"a": 9007199254740993}), "exact values")
    expect(page.get_by_role("heading", name="Changed here")).to_be_visible()
    expect(page.get_by_role("button", name="Save")).to_be_disabled()


def try_text_typed_during_a_save_stays(desk):
    page = desk.open("#/object/tags/11")
    name = page.get_by_label("name")
    name.fill("saved")
    typed = []

    def answer(route):
        if route.request.method == "PATCH" and "dryRun" not in route.request.url and not typed:
            typed.append(name.fill("saved and typed on"))
        route.continue_()

    page.route("**/api/tags/11*", answer)
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#toasts")).to_contain_text("Saved")
    equal(desk.ask("GET", "/api/tags/11")["name"], "saved", "the stored name")
    expect(name).to_have_value("saved and typed on")
    expect(page.locator(".stored-note:visible")).to_have_count(0)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("button", name="Save")).to_be_disabled()
    equal(desk.ask("GET", "/api/tags/11")["name"], "saved and typed on", "the name after another save")


def try_json_with_the_names_of_references_is_saved(desk):
    desk.ask("PATCH", "/api/posts/14", {"metadata": {"_id": "a", "v": 1}})
    page = desk.open("#/object/posts/14")
    page.get_by_label("metadata", exact=True).fill('{"_id": "a", "v": 2}')
    page.keyboard.press("Control+s")
    expect(page.locator("#toasts")).to_contain_text("Saved")
    equal(desk.ask("GET", "/api/posts/14")["metadata"], {"_id": "a", "v": 2}, "the stored JSON")


def try_patterns_of_any_letters_are_left_to_the_server(desk):
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "Words.json"
        model.write_text(json.dumps({"entities": {"Word": {"attributes": {"text": {"type": "String", "pattern": "\\w+"}}}}}))
        served = ("--public", str(CONSOLE), "--log-level", "error")
        with Server(desk.outcrop, folder, served=["--model", str(model), "--store", f"sqlite:{folder}/Words.sqlite"], arguments=served) as server:
            desk.url = server.url
            page = desk.open("#/object/Word/new")
            page.get_by_label("text").fill("two words")
            expect(message(page, "text *")).not_to_be_empty()
            page.get_by_label("text").fill("Größe")
            expect(message(page, "text *")).to_be_empty()
            page.keyboard.press("Control+s")
            expect(page.locator("#toasts")).to_contain_text("Created")


def try_the_server_is_asked_while_one_types(desk):
    page = desk.open("#/object/tags/1")
    page.get_by_label("name").fill("lantern")
    expect(page.locator(".message").first).to_contain_text("name must be unique")
    expect(page.locator(".message a")).to_have_attribute("href", "#/object/tags/2")
    page.get_by_role("button", name="Revert").click()
    expect(page.get_by_label("name")).to_have_value("harbour")
    expect(page.locator(".message").first).to_be_hidden()


def try_leaving_asks_if_something_would_be_lost(desk):
    page = desk.open("#/object/tags/3")
    name = page.get_by_label("name").input_value()
    page.get_by_label("name").fill("not saved")
    page.get_by_role("link", name="Model").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("isn't saved")
    dialog.get_by_role("button", name="Cancel").click()
    expect(page.get_by_label("name")).to_have_value("not saved")
    expect(page).to_have_url(f"{desk.url}/#/object/tags/3")
    page.get_by_role("button", name="Revert").click()
    expect(page.get_by_label("name")).to_have_value(name)


def try_objects_are_created(desk):
    page = desk.open("#/object/tags/new")
    page.get_by_role("button", name="Create").click()
    expect(page.locator(".message").first).to_contain_text("needs a")
    page.get_by_label("name").fill("made in the console")
    page.get_by_label("color", exact=True).fill("#00aa88")
    page.keyboard.press("Control+s")
    page.wait_for_url("**/#/object/tags/*")
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Delete").click()
    expect(page.get_by_role("dialog")).to_contain_text("No other object")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    page.wait_for_url("**/#/data/Tag")
    equal(desk.ask("GET", "/api/tags?name=made+in+the+console&result=count")["count"], 0, "the tags that are left")


def try_a_duplicate_has_all_values(desk):
    address = {"city": "Ulm", "country": "DE", "street": None, "zip": "89073"}
    values = {"views": 123, "rating": 2.5, "published": True, "metadata": {"a": [1, None]}, "price": None, "content": "a\nb & c"}
    desk.ask("PATCH", "/api/posts/15", values)
    original = desk.ask("GET", "/api/posts/15")
    desk.ask("PATCH", "/api/users/102", {"address": address})
    copies = []
    for reference, name in [("posts/15", "slug"), ("users/102", "username")]:
        page = desk.open(f"#/object/{reference}")
        page.get_by_role("button", name="More").click()
        page.get_by_role("menuitem", name="Duplicate").click()
        expect(page.locator("h1")).to_contain_text("New ")
        page.get_by_label(name).fill("duplicate" if name == "username" else "the-duplicate")
        page.keyboard.press("Control+s")
        expect(page.locator("#toasts")).to_contain_text("Created")
        expect(page.locator("h1")).not_to_contain_text("New ")
        copies.append(desk.ask("GET", "/api/" + page.url.split("#/object/")[1]))
    kept = [name for name in original if name[0] != "_" and name not in ("slug", "cover", "updatedAt", "commentCount")]
    equal({name: copies[0][name] for name in kept}, {name: original[name] for name in kept}, "the values of the duplicate")
    equal(copies[1]["address"], address, "the composite of the duplicate")
    for copy in copies:
        desk.ask("DELETE", f"/api/{copy['_id']}")


def try_a_double_submit_creates_one_object(desk):
    page = desk.open("#/object/tags/new")
    page.get_by_label("name").fill("made twice")
    create = "document.querySelector('button[type=submit]').click();"
    page.evaluate(create + create)
    expect(page.get_by_role("heading", name="made twice")).to_be_visible()
    page.goto(f"{desk.url}/#/object/posts/8")
    text = f"made twice {desk.name}"
    page.get_by_label("Add to comments").fill(text)
    page.get_by_role("option", name="Create Comment").click()
    page.get_by_role("dialog").get_by_label("Set createdAt to now").click()
    page.evaluate("document.querySelector('dialog button[type=submit]').click();" * 2)
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.wait_for_timeout(500)
    equal(desk.ask("GET", "/api/tags?name=made+twice&result=count")["count"], 1, "the tags")
    equal(desk.ask("GET", f"/api/comments?text={urllib.parse.quote(text)}&result=count")["count"], 1, "the comments")
    desk.ask("DELETE", "/api/" + desk.ask("GET", "/api/tags?name=made+twice")["items"][0]["_id"])


def try_a_lost_answer_creates_no_second_object(desk):
    page = desk.open("#/object/tags/new")
    page.get_by_label("name").fill("made once")

    def lose(route):
        route.fetch()
        route.abort()

    page.route("**/api/tags", lose)
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_role("alert").first).to_contain_text("can't be reached")
    page.unroute("**/api/tags")
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_role("heading", name="made once")).to_be_visible()
    equal(desk.ask("GET", "/api/tags?name=made+once&result=count")["count"], 1, "the tags")
    desk.ask("DELETE", "/api/" + desk.ask("GET", "/api/tags?name=made+once")["items"][0]["_id"])
    desk.reports = [report for report in desk.reports if "ERR_FAILED" not in report]


def try_relationships_are_found_created_and_moved(desk):
    page = desk.open("#/object/posts/1")
    tags = page.locator("section.members", has=page.get_by_role("heading", name="tags", exact=True))
    expect(tags.locator(".member-list li")).to_have_count(4)
    first = tags.locator("li a").first.inner_text()
    tags.locator(".handle").first.focus()
    page.keyboard.press("ArrowDown")
    expect(tags.locator("li a").nth(1)).to_have_text(first)
    # The page reads again what has changed.
    page.wait_for_timeout(1000)
    box, target = tags.locator(".handle").nth(3).bounding_box(), tags.locator("li").first.bounding_box()
    page.mouse.move(box["x"] + 8, box["y"] + 8)
    page.mouse.down()
    # The page reads again what others change, which doesn't end the drag.
    with page.expect_response(lambda response: "/posts/1/tags" in response.url):
        desk.ask("PATCH", "/api/posts/1", {"views": 77})
    page.wait_for_timeout(200)
    page.mouse.move(target["x"] + 40, target["y"] + 8, steps=5)
    page.mouse.up()
    expect(tags.locator("li a").first).to_have_text("forest")
    stored = [tag["name"] for tag in desk.ask("GET", "/api/posts/1/tags?select=name")["items"]]
    equal(tags.locator("li a").all_inner_texts(), stored, "the order")
    tags.get_by_label("Add to tags").fill("made by the picker")
    tags.get_by_role("option", name="Create Tag").click()
    expect(tags.locator(".member-list li")).to_have_count(5)
    expect(page.locator("#toasts")).to_contain_text("made by the picker was added to tags.")
    tags.get_by_label("Remove made by the picker").click()
    expect(tags.locator(".member-list li")).to_have_count(4)
    page.get_by_label("Change author").click()
    page.get_by_label("Find an object for author").fill("Ada")
    page.get_by_role("option", name="Ada Fernridge").click()
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#toasts")).to_contain_text("Saved")
    equal(desk.ask("GET", "/api/posts/1?select=author.name")["author"]["name"], "Ada Fernridge", "the author")


def try_a_picker_asks_for_what_a_new_object_needs(desk):
    page = desk.open("#/object/posts/8")
    page.get_by_label("Add to comments").fill("A comment of the console")
    page.get_by_role("option", name="Create Comment").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("text")).to_have_value("A comment of the console")
    dialog.get_by_label("Set createdAt to now").click()
    dialog.get_by_role("button", name="Create", exact=True).click()
    expect(page.locator("section.members").first).to_contain_text("A comment of the console")


def try_files_are_shown_dropped_in_and_downloaded(desk):
    page = desk.open("#/object/posts/9")
    expect(page.locator("canvas")).to_be_visible()
    page.locator(".binary input[type=file]").set_input_files({"name": "a.png", "mimeType": "image/png", "buffer": PICTURE})
    expect(page.get_by_label("Picture, 10 by 10 pixels")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_label("Download cover").click()
    equal(download.value.suggested_filename, "posts-9-cover.png", "the file's name")
    equal(download.value.path().read_bytes(), PICTURE, "the file")
    page.evaluate("""() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File(["just a text"], "a.txt", {type: "text/plain"}));
        document.querySelector(".binary").dispatchEvent(new DragEvent("drop", {dataTransfer: transfer, bubbles: true, cancelable: true}));
    }""")
    expect(page.locator(".media pre")).to_have_text("just a text")
    page.get_by_label("Set cover to nil").click()
    expect(page.locator(".binary .nil")).to_be_visible()


def try_deletions_show_what_they_take_and_what_stops_them(desk):
    page = desk.open("#/object/posts/10")
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Delete").click()
    expected = desk.ask("DELETE", "/api/posts/10?dryRun=true")
    expect(page.get_by_role("dialog")).to_contain_text(f"This also deletes {len(expected['deleted']) - 1} other object")
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    desk.ask("GET", "/api/posts/10")
    page = desk.open("#/object/tags/5")
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Delete").click()
    expect(page.get_by_role("dialog")).to_contain_text("can't be deleted while it has posts")
    expect(page.get_by_role("dialog").locator("li a").first).to_be_visible()


def try_a_deleted_object_is_requested_no_more(desk):
    tag = desk.ask("POST", "/api/tags", {"name": "to be deleted"})["_id"]
    page = desk.open(f"#/object/{tag}")
    refused = []
    page.on("response", lambda response: refused.append(response.url) if response.status >= 400 else None)
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
    page.wait_for_url("**/#/data/Tag")
    page.wait_for_timeout(1000)
    equal(refused, [], "requests that were refused")


def try_the_history_leads_back(desk):
    page = desk.open("#/object/tags/6")
    name = page.get_by_label("name").input_value()
    page.get_by_label("name").fill("another name")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#toasts")).to_contain_text("Saved")
    desk.ask("PATCH", "/api/tags/6", {"color": "#123456"}, {"X-Author": "Anna"})
    page.get_by_role("tab", name="History").click()
    expect(page.locator(".timeline li").first).to_contain_text("by Anna")
    expect(page.locator(".history")).to_contain_text("as far as this window has seen them")
    page.get_by_role("button", name="Use again").last.click()
    expect(page.get_by_label("name")).to_have_value(name)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("button", name="Save")).to_be_disabled()
    equal(desk.ask("GET", "/api/tags/6")["name"], name, "the name")


def try_former_values_are_those_of_the_version_before(desk):
    tag = desk.ask("POST", "/api/tags", {"name": "former first"})["_id"]
    page = desk.context.new_page()
    page.clock.set_system_time(datetime.datetime.now() - datetime.timedelta(days=1))
    page.goto(f"{desk.url}/#/object/{tag}")
    page.get_by_label("name").fill("former second")
    page.keyboard.press("Control+s")
    expect(page.locator("#toasts")).to_contain_text("Saved")
    page.get_by_role("tab", name="History").click()
    expect(page.locator(".timeline .old")).to_have_text(["former first"])
    # The third name isn't seen.
    page.goto(f"{desk.url}/#/drafts")
    expect(page.locator("h1")).to_have_text("Drafts")
    desk.ask("PATCH", f"/api/{tag}", {"name": "former third"})
    desk.ask("PATCH", f"/api/{tag}", {"name": "former fourth"})
    page.goto(f"{desk.url}/#/object/{tag}")
    page.get_by_role("tab", name="History").click()
    expect(page.locator(".timeline li")).to_have_count(4)
    expect(page.locator(".timeline .old")).to_have_text(["former second", "former first"])
    for number in range(600):
        desk.ask("PATCH", f"/api/{tag}", {"color": f"#{number:06}"}, {"X-Author": f"Anna{number}"})
    expect(page.locator(".timeline li").first).to_contain_text("by Anna599")
    expect(page.locator(".history")).to_contain_text("These are the last 500 changes.")
    equal(page.locator(".timeline li").count(), 500, "the changes that are shown")


def try_former_objects_have_names(desk):
    before = desk.ask("GET", "/api/posts/13?select=author.name")["author"]
    page = desk.open("#/object/posts/13")
    page.get_by_label("Change author").click()
    page.get_by_label("Find an object for author").fill("Ada")
    page.get_by_role("option", name="Ada Fernridge").click()
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#toasts")).to_contain_text("Saved")
    page.get_by_role("tab", name="History").click()
    expect(page.locator(".timeline .old").first).to_have_text(before["name"])


def try_two_windows_see_each_others_changes(desk):
    one, other = desk.open("#/object/tags/7"), desk.open("#/object/tags/7")
    other.get_by_label("name").fill("entered by the other")
    one.get_by_label("color", exact=True).fill("#abcdef")
    one.get_by_label("name").fill("entered by the one")
    one.get_by_role("button", name="Save").click()
    expect(one.locator("#toasts")).to_contain_text("Saved")
    expect(other.get_by_label("color", exact=True)).to_have_value("#abcdef")
    expect(other.get_by_label("name")).to_have_value("entered by the other")
    expect(other.locator(".stored-note").first).to_contain_text("entered by the one")
    desk.ask("PATCH", "/api/tags/7", {"name": "by a third"})
    other.get_by_role("button", name="Save").click()
    dialog = other.get_by_role("dialog")
    expect(dialog).to_contain_text("by a third")
    dialog.get_by_role("button", name="Save the chosen values").click()
    expect(other.locator("#toasts")).to_contain_text("Saved")
    equal(desk.ask("GET", "/api/tags/7")["name"], "entered by the other", "the name")
    expect(one.get_by_label("name")).to_have_value("entered by the other")


def try_stored_markup_stays_text(desk):
    markup = "<img src=x onerror=\"document.title='executed'\"><script>document.title='executed'</script>"
    post = desk.ask("PATCH", "/api/posts/11", {"title": markup, "content": markup, "link": "javascript:document.title='executed'"})
    desk.ask("PATCH", "/api/users/101", {"name": markup})
    desk.ask("PATCH", "/api/posts/12", {"author": "users/101"})
    for address in ["#/data/Post?sort=title", "#/object/posts/11", "#/object/posts/12", "#/data/Post?search=onerror", "#/data/Post?where=" + markup]:
        page = desk.open(address)
        page.wait_for_timeout(300)
        check("executed" not in page.title() or page.title().startswith("<img"), f"{address} has executed stored markup")
        equal(page.evaluate("[...document.querySelectorAll('main img, main script')].length"), 0, f"elements from the data at {address}")
        equal(page.evaluate("[...document.querySelectorAll('a')].filter((one) => one.protocol === 'javascript:').length"), 0, "links that are scripts")
    desk.ask("PATCH", "/api/users/101", {"name": "Xenia Kingsside"})
    desk.ask("PATCH", "/api/posts/11", {"title": post["slug"], "content": "", "link": None})
