# SPDX-License-Identifier: Apache-2.0
"""The pages Model, Drafts, Query, Live and the API reference."""

import pathlib
import tarfile
import tempfile

from playwright.sync_api import expect
from workbench import Server

from .desk import check, equal

CONSOLE = pathlib.Path(__file__).resolve().parents[2] / "Console"


def try_the_model_is_drawn_described_and_edited(desk):
    page = desk.open("#/model")
    diagram = page.get_by_role("group", name="Diagram of 7 entities")
    expect(diagram.get_by_role("link")).to_have_count(7)
    page.get_by_role("link", name="Comment, 4 attributes").focus()
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Comment")
    page.goto(desk.url + "/#/model/edit")
    page.get_by_role("button", name="Add an attribute").click()
    expect(page.get_by_label("Name of attribute1")).to_be_focused()
    page.keyboard.type("mood")
    page.keyboard.press("Tab")
    expect(page.get_by_label("Type of mood")).to_be_focused()
    page.get_by_label("Name of likes").fill("applause")
    page.keyboard.press("Enter")
    expect(page.get_by_text("was likes")).to_be_visible()
    page.get_by_role("button", name="Differences").click()
    differences = page.get_by_role("table", name="Differences")
    expect(differences.get_by_role("row", name="renamed Comment › likes likes applause")).to_be_visible()
    expect(differences.get_by_role("row", name="added Comment › mood")).to_be_visible()
    expect(differences).not_to_contain_text("attribute1")
    page.evaluate("import('./model.js').then(({model}) => { model.title = 'Größen und Maße / ' + 'lang'.repeat(20); })")
    page.get_by_role("button", name="Download").click()
    with page.expect_download() as file:
        page.get_by_role("menuitem", name="For Xcode").click()
    name = "Größen und Maße - langlanglanglanglanglanglanglanglanglanglan"
    equal(file.value.suggested_filename, f"{name}.xcdatamodeld.tar", "the archive's name")
    with tarfile.open(file.value.path()) as archive:
        content = archive.extractfile(f"{name}.xcdatamodeld/{name}.xcdatamodel/contents").read()
    check(b"<entity name=" in content, "the archive has no model")
    page.get_by_role("link", name="Drafts").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(page.get_by_label("Name of mood")).to_be_visible()


def try_no_edit_of_the_model_is_lost_unasked(desk):
    page = desk.open("#/model")
    page.get_by_role("tab", name="Edit").click()
    page.get_by_role("button", name="Add an attribute").click()
    page.keyboard.type("mood")
    page.keyboard.press("Tab")
    page.get_by_role("link", name="Model", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(page.get_by_label("Name of mood")).to_be_visible()
    check(page.url.endswith("#/model/edit"), f"the address is {page.url}")
    page.get_by_label("Name of mood").locator("xpath=ancestor::tr").get_by_role("button", name="Remove").click()
    page.get_by_role("button", name="As JSON").first.click()
    text = page.get_by_label("The model as JSON")
    valid = text.input_value()
    text.fill(valid + "}")
    page.get_by_role("button", name="As forms").click()
    expect(page.get_by_role("alert")).to_contain_text("This isn't JSON.")
    equal(text.input_value(), valid + "}", "the text")
    page.get_by_role("link", name="Drafts").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    text.evaluate("(text, value) => { text.value = value; }", valid.replace('"Tag"', '"Label"'))
    page.get_by_role("button", name="Differences").click()
    expect(page.get_by_role("table", name="Differences")).to_contain_text("Label")
    text.fill(valid)
    page.get_by_role("link", name="Drafts").click()
    expect(page.locator("h1")).to_have_text("Drafts")


def try_the_editor_says_whether_the_model_can_be_changed(desk):
    page = desk.open("#/model/edit")
    expect(page.get_by_text("Requests may not change the model.")).to_be_visible()
    expect(page.get_by_role("button", name="Dry run")).to_have_count(0)


def try_a_changed_model_is_tried_and_applied(desk):
    with tempfile.TemporaryDirectory() as folder:
        served = ("--public", str(CONSOLE), "--log-level", "error", "--allow-model-changes")
        with Server(desk.outcrop, folder, f"sqlite:{folder}/Demo.sqlite", arguments=served) as server:
            desk.url = server.url
            page = desk.open("#/model/edit")
            page.get_by_label("Name of text").fill("words")
            page.keyboard.press("Enter")
            page.get_by_label("Least of likes").fill("ten")
            page.keyboard.press("Tab")
            page.get_by_role("button", name="Dry run").click()
            expect(page.locator(".problem")).to_contain_text("Comment.likes")
            page.get_by_label("Least of likes").fill("0")
            page.keyboard.press("Tab")
            page.get_by_role("button", name="Dry run").click()
            expect(page.get_by_text("No value is lost.")).to_be_visible()
            expect(page.get_by_role("table", name="Entities")).to_contain_text("text is called words")
            page.get_by_label("Most of words").fill("9000")
            page.get_by_role("button", name="Apply it").click()
            expect(page.get_by_role("table", name="Entities")).to_contain_text("maxLength: 10000 → 9000")
            page.get_by_role("button", name="Apply it").click()
            page.get_by_role("button", name="Apply", exact=True).click()
            expect(page.get_by_text("The new model is served.")).to_be_visible()
            check("words" in desk.ask("GET", "/api/comments/1"), "the attribute has its former name")


def try_a_query_is_run_explained_and_drawn(desk):
    page = desk.open("#/query?entity=Post&group=author.name&aggregate=n:count(_id)&sort=-n&limit=5")
    expect(page.locator("tbody tr")).to_have_count(5)
    for tab, found in [("JSON", ".json .k"), ("Chart", "svg.chart .bar"), ("SQL and plan", "text=SELECT"), ("curl", "text=curl"), ("Swift", "text=NSFetchRequest")]:
        page.get_by_role("tab", name=tab).click()
        expect(page.locator(found).first).to_be_visible()
    page.get_by_label("Predicate").fill("vews > 3")
    page.get_by_role("button", name="Run").click()
    expect(page.get_by_text("Post has no property “vews”").first).to_be_visible()


def try_an_answer_that_comes_too_late_isnt_shown(desk):
    page = desk.open("#/query?entity=Tag&limit=3")
    expect(page.locator("tbody tr")).to_have_count(3)
    held = hold(page, "**/api/tags?*")
    page.get_by_label("limit", exact=True).fill("7")
    page.keyboard.press("Enter")
    page.wait_for_timeout(200)
    page.get_by_label("limit", exact=True).fill("5")
    page.keyboard.press("Enter")
    expect(page.locator("tbody tr")).to_have_count(5)
    release(page, held)
    expect(page.locator("tbody tr")).to_have_count(5)
    page = desk.open("#/object/tags/12")
    held = hold(page, "**/api/tags/12")
    report = "import('./session.js').then(({reportChange}) => reportChange())"
    page.evaluate(report)
    page.wait_for_timeout(600)
    desk.ask("PATCH", "/api/tags/12", {"color": "#fedcba"})
    page.evaluate(report)
    expect(page.get_by_label("color", exact=True)).to_have_value("#fedcba")
    release(page, held)
    expect(page.get_by_label("color", exact=True)).to_have_value("#fedcba")


def hold(page, path):
    """Holds the first answer for a path."""
    held = []

    def take(route):
        if held:
            route.continue_()
        else:
            held.append((route, route.fetch()))

    page.route(path, take)
    return held


def release(page, held):
    """Hands out the answer that was held."""
    [(route, response)] = held
    route.fulfill(response=response)
    page.wait_for_timeout(500)


def try_a_query_is_built_by_clicks(desk):
    page = desk.open("#/query?entity=Post")
    page.get_by_label("+ group by").select_option("author.name")
    page.get_by_label("+ aggregate").select_option("n:count(_id)")
    page.get_by_label("+ aggregate").select_option("views_sum:sum(views)")
    equal(page.get_by_label("aggregate", exact=True).input_value(), "n:count(_id),views_sum:sum(views)", "the sums")
    page.get_by_label("+ order").select_option("views")
    page.get_by_label("+ order").select_option("-views")
    equal(page.get_by_label("sort", exact=True).input_value(), "-views", "the order")
    for name, condition in [("published", "published == YES"), ("views", "views > "), ("title", 'title == ""')]:
        page.get_by_label("Predicate").fill("")
        page.get_by_label("+ condition").select_option(name)
        equal(page.get_by_label("Predicate").input_value(), condition, f"the condition of {name}")
    page.keyboard.type("x")
    equal(page.get_by_label("Predicate").input_value(), 'title == "x"', "the condition after typing")
    page.get_by_label("Predicate").fill("")
    page.get_by_label("sort", exact=True).fill("-views_sum")
    page.get_by_role("button", name="Run").click()
    page.get_by_role("tab", name="Chart").click()
    equal(page.get_by_label("Value").input_value(), "views_sum", "the column of the chart")
    page.wait_for_timeout(300)
    cut = page.locator("svg.chart").evaluate("""(chart) => {
        const outer = chart.getBoundingClientRect();
        const isCut = (box) => box.left < outer.left || box.bottom > outer.bottom + 1;
        return [...chart.querySelectorAll("text")].filter((text) => isCut(text.getBoundingClientRect())).map((text) => text.textContent);
    }""")
    equal(cut, [], "labels that are cut")


def open_draft(page, name, merges=True):
    """Opens a draft, and returns its name in paths and the line that has its buttons."""
    page.goto(page.url.split("#")[0] + "#/drafts")
    page.get_by_label("Name of the draft").fill(name)
    page.get_by_label("shows what others save").set_checked(merges)
    page.get_by_role("button", name="Open a draft").click()
    expect(page.locator("h1")).to_have_text(name)
    return page.url.split("/")[-1], page.get_by_role("region", name="Draft")


def try_a_draft_that_stays_on_its_base_resolves_conflicts(desk):
    page = desk.open("#/drafts")
    context, bar = open_draft(page, "Spring", merges=False)
    tag, other, gone, late = (desk.ask("POST", "/api/tags", {"name": f"before {name}"})["_id"] for name in "abcd")
    for edited in (tag, other, gone):
        desk.ask("PATCH", f"/api/contexts/{context}/{edited}", {"name": f"mine {edited}"})
    desk.ask("PATCH", f"/api/contexts/{context}/{late}", {"color": "#010203"})
    desk.ask("PATCH", f"/api/{tag}", {"name": "theirs"})
    desk.ask("PATCH", f"/api/{other}", {"name": "theirs, too"})
    desk.ask("PATCH", f"/api/{late}", {"name": "theirs, late"})
    desk.ask("DELETE", f"/api/{gone}")
    page.reload()
    expect(page.locator(".new", has_text=f"mine {tag}")).to_be_visible()
    expect(page.locator("main").get_by_role("button", name="Save")).to_have_count(0)
    bar.get_by_role("button", name="Save").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Keep all of theirs").click()
    dialog.get_by_label("name: mine").first.check()
    dialog.get_by_role("button", name="Save the chosen values").click()
    expect(page.get_by_text("The draft was saved.")).to_be_visible()
    names = [desk.ask("GET", f"/api/{one}")["name"] for one in (tag, other, late)]
    equal(names, [f"mine {tag}", "theirs, too", "theirs, late"], "the chosen values")
    equal(desk.ask("GET", f"/api/{late}")["color"], "#010203", "what others haven't changed")
    equal(desk.ask("GET", f"/api/tags?name=mine+{gone.replace('/', '%2F')}&result=count")["count"], 0, "the deleted one")
    desk.ask("DELETE", f"/api/contexts/{context}")


def try_a_draft_that_merges_asks_before_it_overwrites(desk):
    page = desk.open("#/drafts")
    context, bar = open_draft(page, "Summer")
    tag = desk.ask("POST", "/api/tags", {"name": "merged before"})["_id"]
    desk.ask("PATCH", f"/api/contexts/{context}/{tag}", {"name": "merged mine"})
    desk.ask("PATCH", f"/api/{tag}", {"name": "merged theirs"})
    expect(bar).to_contain_text("1 conflict")
    bar.get_by_role("button", name="Save").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("merged theirs")
    dialog.get_by_role("button", name="Cancel").click()
    equal(desk.ask("GET", f"/api/{tag}")["name"], "merged theirs", "the value after Cancel")
    bar.get_by_role("button", name="Save").click()
    dialog.get_by_label("name: theirs").check()
    dialog.get_by_role("button", name="Save the chosen values").click()
    expect(page.get_by_text("The draft was saved.")).to_be_visible()
    equal(desk.ask("GET", f"/api/{tag}")["name"], "merged theirs", "the chosen value")
    desk.ask("DELETE", f"/api/contexts/{context}")


def try_a_draft_asks_again_about_what_was_saved_meanwhile(desk):
    page = desk.open("#/drafts")
    context, bar = open_draft(page, "Indian summer")
    tag = desk.ask("POST", "/api/tags", {"name": "again before"})["_id"]
    desk.ask("PATCH", f"/api/contexts/{context}/{tag}", {"name": "again mine"})
    desk.ask("PATCH", f"/api/{tag}", {"name": "again theirs"})
    expect(bar).to_contain_text("1 conflict")
    expect(page.locator(".conflicting")).to_contain_text("again theirs")

    def save_before(route):
        desk.ask("PATCH", f"/api/{tag}", {"name": "again, and later"})
        route.continue_()

    page.route(f"**/{context}/{tag}", save_before)
    page.get_by_role("button", name="Keep mine").click()
    expect(page.get_by_role("alert")).to_contain_text("changed since")
    page.unroute(f"**/{context}/{tag}")
    expect(bar).to_contain_text("1 conflict")
    bar.get_by_role("button", name="Save").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("again, and later")
    desk.ask("PATCH", f"/api/{tag}", {"name": "again, and last"})
    dialog.get_by_role("button", name="Save the chosen values").click()
    expect(dialog).to_contain_text("again, and last")
    equal(desk.ask("GET", f"/api/{tag}")["name"], "again, and last", "the value that wasn't seen")
    dialog.get_by_role("button", name="Save the chosen values").click()
    expect(page.get_by_text("The draft was saved.")).to_be_visible()
    equal(desk.ask("GET", f"/api/{tag}")["name"], "again mine", "the chosen value")
    desk.ask("DELETE", f"/api/contexts/{context}")


def try_a_choice_for_a_deleted_object_settles_nothing_else(desk):
    page = desk.open("#/drafts")
    context, bar = open_draft(page, "Thaw", merges=False)
    gone, other = (desk.ask("POST", "/api/tags", {"name": f"thaw {name}"})["_id"] for name in "ab")
    desk.ask("PATCH", f"/api/contexts/{context}/{gone}", {"color": "#111111"})
    desk.ask("PATCH", f"/api/contexts/{context}/{other}", {"color": "#222222"})
    desk.ask("DELETE", f"/api/{gone}")
    page.reload()
    bar.get_by_role("button", name="Save").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("the object: mine").check()
    desk.ask("PATCH", f"/api/{other}", {"color": "#333333"})
    dialog.get_by_role("button", name="Save the chosen values").click()
    expect(dialog).to_contain_text("#333333")
    dialog.get_by_label("color: theirs").check()
    dialog.get_by_role("button", name="Save the chosen values").click()
    expect(page.get_by_text("The draft was saved.")).to_be_visible()
    colors = [desk.ask("GET", f"/api/{one}")["color"] for one in (gone, other)]
    equal(colors, ["#111111", "#333333"], "the colors")
    desk.ask("DELETE", f"/api/contexts/{context}")


def try_the_line_of_a_draft_saves_the_form_and_says_what_is_wrong(desk):
    page = desk.open("#/drafts")
    context, bar = open_draft(page, "Autumn")
    tag = desk.ask("POST", "/api/tags", {"name": "form before"})["_id"]
    page.goto(f"{desk.url}/#/object/{tag}")
    page.locator(".field", has_text="name").locator("input").first.fill("form after")
    bar.get_by_role("button", name="Save").click()
    expect(page.get_by_text("The draft was saved.")).to_be_visible()
    equal(desk.ask("GET", f"/api/{tag}")["name"], "form after", "the saved name")
    desk.ask("POST", f"/api/contexts/{context}/tags", {"name": "form after"})
    page.reload()
    bar.get_by_role("button", name="Save").click()
    expect(page.get_by_role("dialog")).to_contain_text("name must be unique")
    page.get_by_role("dialog").get_by_role("button", name="Close").last.click()
    desk.ask("DELETE", f"/api/contexts/{context}")


def try_a_draft_is_discarded_and_ended(desk):
    page = desk.open("#/drafts")
    context, bar = open_draft(page, "Winter")
    desk.ask("POST", f"/api/contexts/{context}/tags", {"name": "winter"})
    page.reload()
    expect(page.locator(".new", has_text="winter")).to_be_visible()
    page.locator("main").get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Discard its changes").click()
    page.get_by_role("button", name="Discard", exact=True).click()
    expect(page.get_by_text("Nothing is changed yet.")).to_be_visible()
    page.locator("main").get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="End the draft").click()
    page.get_by_role("button", name="End it").click()
    expect(bar).to_be_hidden()
    expect(page.locator("h1")).to_have_text("Drafts")
    expect(page.locator("main").get_by_text("Winter")).to_have_count(0)


def try_lists_and_the_history_are_live(desk):
    tag = desk.ask("POST", "/api/tags", {"name": "aaa live"})["_id"]
    page = desk.open("#/live?entity=Tag&sort=name")
    expect(page.get_by_text("aaa live").first).to_be_visible()
    desk.ask("PATCH", f"/api/{tag}", {"name": "aab live"})
    expect(page.get_by_text("aab live").first).to_be_visible()
    page.get_by_role("tab", name="History").click()
    expect(page.locator(".badge.good", has_text="live")).to_be_visible()
    expect(page.locator(".feed li.fresh")).to_have_count(0)
    expect(page.locator(".feed li").first).to_contain_text("aab live")
    desk.ask("DELETE", f"/api/{tag}")
    expect(page.locator(".feed li").first).to_contain_text("deleted")
    page.get_by_role("tab", name="Server").click()
    expect(page.locator("svg.spark").first).to_be_visible()


def try_the_reference_shows_each_operation(desk):
    page = desk.open("#/reference/Tag")
    operation = page.locator("details", has_text="Create an object").first
    operation.locator("summary").first.click()
    expect(operation.get_by_text("Body: application/json")).to_be_visible()
    expect(operation.get_by_role("row", name="Idempotency-Key")).to_contain_text("header")
    operation.locator("summary", has_text="201").click()
    operation.locator("summary").get_by_text("Tag", exact=True).click()
    members = operation.get_by_role("table", name="Tag", exact=True)
    expect(members.get_by_role("row", name="color")).to_be_visible()
    expect(members.get_by_role("row", name="_version")).to_be_visible()
    list_ = page.locator("details", has_text="Fetch objects").first
    list_.locator("summary").first.click()
    expect(list_.get_by_role("row", name="where")).to_contain_text("query")
    check("`" not in page.locator("main").inner_text(), "there are backticks")
