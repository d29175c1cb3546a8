# SPDX-License-Identifier: Apache-2.0
"""The pages Model, Drafts, Query, Live and the API reference."""

from playwright.sync_api import expect

from .desk import check, equal


def try_the_model_is_drawn_described_and_edited(desk):
    page = desk.open("#/model")
    expect(page.locator(".diagram g.entity")).to_have_count(7)
    page.get_by_role("link", name="Comment, 4 attributes").focus()
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Comment")
    page.goto(desk.url + "/#/model/edit")
    page.get_by_role("button", name="Add an attribute").click()
    page.get_by_role("button", name="Differences").click()
    expect(page.get_by_text("attribute1").first).to_be_visible()
    with page.expect_download() as file:
        page.get_by_role("button", name="Download for Xcode").click()
    check(b"<entity name=" in open(file.value.path(), "rb").read(), "the archive has no model")


def try_a_query_is_run_explained_and_drawn(desk):
    page = desk.open("#/query?entity=Post&group=author.name&aggregate=n:count(_id)&sort=-n&limit=5")
    expect(page.locator("tbody tr")).to_have_count(5)
    for tab, found in [("JSON", ".json .k"), ("Chart", "svg.chart .bar"), ("SQL and plan", "text=SELECT"), ("curl", "text=curl"), ("Swift", "text=NSFetchRequest")]:
        page.get_by_role("tab", name=tab).click()
        expect(page.locator(found).first).to_be_visible()
    page.get_by_label("Predicate").fill("vews > 3")
    page.get_by_role("button", name="Run").click()
    expect(page.get_by_text("Post has no property “vews”").first).to_be_visible()


def try_a_draft_shows_its_changes_and_resolves_conflicts(desk):
    page = desk.open("#/drafts")
    page.get_by_label("Name of the draft").fill("Spring")
    page.get_by_label("shows what others save").uncheck()
    page.get_by_role("button", name="Open a draft").click()
    expect(page.locator("h1")).to_have_text("Spring")
    context = page.url.split("/")[-1]
    tag = desk.ask("POST", "/api/tags", {"name": "before"})["_id"]
    desk.ask("PATCH", f"/api/contexts/{context}/{tag}", {"name": "mine"})
    desk.ask("PATCH", f"/api/{tag}", {"name": "theirs"})
    page.reload()
    expect(page.locator(".new", has_text="mine")).to_be_visible()
    page.locator("main").get_by_role("button", name="Save").first.click()
    page.get_by_label("name: yours").check()
    page.get_by_role("button", name="Save the chosen values").click()
    expect(page.get_by_text("Saved.").first).to_be_visible()
    equal(desk.ask("GET", f"/api/{tag}")["name"], "mine", "the chosen value")


def try_lists_and_the_history_are_live(desk):
    tag = desk.ask("POST", "/api/tags", {"name": "aaa live"})["_id"]
    page = desk.open("#/live?entity=Tag&sort=name")
    expect(page.get_by_text("aaa live").first).to_be_visible()
    desk.ask("PATCH", f"/api/{tag}", {"name": "aab live"})
    expect(page.get_by_text("aab live").first).to_be_visible()
    page.get_by_role("tab", name="History").click()
    expect(page.locator(".badge.good", has_text="live")).to_be_visible()
    desk.ask("DELETE", f"/api/{tag}")
    expect(page.locator(".timeline li").first).to_contain_text("deleted")
    page.get_by_role("tab", name="Server").click()
    expect(page.locator("svg.spark").first).to_be_visible()


def try_the_reference_shows_each_operation(desk):
    page = desk.open("#/reference/Tag")
    operation = page.locator("details", has_text="Create an object").first
    operation.locator("summary").first.click()
    expect(operation.get_by_text("Body: application/json")).to_be_visible()
