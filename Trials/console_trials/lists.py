# SPDX-License-Identifier: Apache-2.0
"""What a list finds, and which of its rows are selected, changed and deleted."""

from urllib.parse import quote

from playwright.sync_api import expect

from .data import rows


def count(desk, where):
    return desk.ask("GET", f"/api/posts?result=count&where={quote(where)}")["count"]


def planned(page):
    """The dry run of a change of the whole list."""
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Change all of these").click()
    page.get_by_label("Property to set").select_option("rating")
    page.get_by_label("Set rating to nil").click()
    return page.locator("dialog .note")


def try_a_batch_concerns_what_the_list_shows(desk):
    author = desk.ask("GET", "/api/posts?limit=1&select=author&published=true")["items"][0]["author"]
    if isinstance(author, dict):
        author = author["_id"]
    either = "(views > 100) OR (published == YES)"
    of_author = desk.ask("GET", f"/api/posts?result=count&author={author}&where={quote(either)}")["count"]
    for where in [either, "views > 100 || published == YES"]:
        page = desk.open(f"#/data/Post?author={author}&where={quote(where)}")
        expect(page.locator(".footer [role=status]")).to_have_text(f"{of_author} objects")
        expect(planned(page)).to_contain_text(f"would change {of_author} object")
        page.close()
    page = desk.open(f"#/data/Post?where={quote('views > 100 || published == YES')}&filter.title=temple")
    both = count(desk, f'({either}) AND title CONTAINS[cd] "temple"')
    expect(page.locator(".footer [role=status]")).to_have_text(f"{both} object{'' if both == 1 else 's'}")
    page.close()
    page = desk.open("#/data/Post?tags=tags/1&published=true")
    expect(rows(page).first).to_be_visible()
    tagged = desk.ask("GET", "/api/posts?result=count&tags=tags/1&published=true")["count"]
    expect(planned(page)).to_contain_text(f"would change {tagged} object")


def try_the_selection_belongs_to_the_list(desk):
    page = desk.open("#/data/Tag?sort=name")
    bar = page.get_by_role("region", name="Selection")
    total = desk.ask("GET", "/api/tags?result=count")["count"]
    page.get_by_label("Select tags").first.click()
    expect(bar).to_contain_text("1 object selected")
    remove = bar.get_by_role("button", name=f"Delete all {total} …")
    remove.focus()
    desk.ask("POST", "/api/tags", {"name": "zzz another"})
    remove = bar.get_by_role("button", name=f"Delete all {total + 1} …")
    expect(remove).to_be_focused()
    page.locator(".grid .head").get_by_role("button", name="name", exact=True).click()
    expect(bar).to_contain_text("1 object selected")
    page.get_by_label("Filter name").fill("=zzz another")
    expect(rows(page)).to_have_count(1)
    expect(bar).to_be_hidden()
    page.get_by_label("Select tags").first.click()
    page.get_by_label("Clear the selection").press("Enter")
    expect(page.locator(".grid .cell:focus")).to_be_visible()
    desk.ask("POST", "/api/tags/batch-delete", {"where": 'name == "zzz another"'})


def try_rows_are_selected_to_the_ends_of_the_table(desk):
    page = desk.open("#/data/Tag?sort=name")
    names = desk.ask("GET", "/api/tags?limit=1000&sort=name")["items"]
    bar = page.get_by_role("region", name="Selection")
    page.locator(".grid .cell[data-place='3'][data-column='0']").focus()
    page.keyboard.press("Control+Shift+ArrowUp")
    expect(bar).to_contain_text("4 objects selected")
    page.get_by_label("Clear the selection").click()
    page.locator(".grid .cell[data-place='3'][data-column='0']").focus()
    page.keyboard.press("Control+End")
    expect(page.locator(f".grid .cell[data-place='{len(names) - 1}']:focus")).to_be_visible()
    page.keyboard.press("Control+Home")
    page.locator(".grid .cell[data-place='3'][data-column='0']").focus()
    page.keyboard.press("Control+Shift+End")
    expect(bar).to_contain_text(f"{len(names) - 3} objects selected")


def try_only_listed_rows_are_selected(desk):
    desk.ask("POST", "/api/tags/batch-insert", [{"name": f"aad {number:03}"} for number in range(250)])
    page = desk.open('#/data/Tag?where=name BEGINSWITH "aad"&sort=name')
    status = page.locator(".footer [role=status]")
    expect(status).to_have_text("250 objects")
    page.locator(".grid .cell[data-place='0'][data-column='0']").focus()
    page.keyboard.press("Control+End")
    expect(page.locator(".grid .cell[data-place='249']:focus")).to_be_visible()
    page.keyboard.press("Control+Home")
    desk.ask("POST", "/api/tags/batch-delete", {"where": 'name BEGINSWITH "aad" AND name > "aad 049"'})
    expect(status).to_have_text("50 objects")
    every = page.get_by_label("Select all rows that are loaded")
    every.press("Space")
    expect(page.get_by_role("region", name="Selection")).to_contain_text("50 objects selected")
    expect(every).to_be_focused()
    desk.ask("POST", "/api/tags/batch-delete", {"where": 'name BEGINSWITH "aad"'})


def try_a_pause_in_typing_leads_nowhere_else(desk):
    page = desk.open("#/data/Tag")
    expect(rows(page).first).to_be_visible()
    page.get_by_role("searchbox").fill("har")
    page.get_by_role("link", name="Post", exact=False).first.click()
    page.wait_for_timeout(700)
    expect(page).to_have_url(f"{desk.url}/#/data/Post")


def try_a_search_looks_for_the_text_as_it_is(desk):
    desk.ask("POST", "/api/tags/batch-insert", [{"name": "juniper nil"}, {"name": "a > b"}, {"name": "!= x"}])
    page = desk.open("#/data/Tag")
    for text, found in [("nil", "juniper nil"), (">", "a > b"), ("!= x", "!= x")]:
        page.get_by_role("searchbox").fill(text)
        expect(rows(page)).to_have_count(1)
        expect(rows(page).first).to_contain_text(found)
    desk.ask("POST", "/api/tags/batch-delete", {"where": 'name IN {"juniper nil", "a > b", "!= x"}'})


def try_a_list_is_opened_as_a_query(desk):
    page = desk.open(f"#/data/Post?author=users/101&where={quote('views > 1 OR published == YES')}&sort=-views&search=the")
    expect(page.locator(".footer [role=status]")).to_have_text("4 objects")
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Open in Query").click()
    expect(page.get_by_text("author = users/101")).to_be_visible()
    page.get_by_role("tab", name="Table").click()
    expect(page.locator("tbody tr")).to_have_count(4)
    page.get_by_label("select", exact=True).fill("title,author.name")
    page.get_by_role("button", name="Run").click()
    page.get_by_role("tab", name="Swift").click()
    code = page.locator(".code-panel pre")
    expect(code).to_contain_text('NSPredicate(format: "(author == %@) AND (views > 1 OR published == YES)", object0)')
    expect(code).to_contain_text('// object0 is "users/101".')
    expect(code).to_contain_text('no search for words: "the*"')
    expect(code).to_contain_text('propertiesToFetch = ["title"]')
    expect(code).to_contain_text('relationshipKeyPathsForPrefetching = ["author"]')
    page.reload()
    page.get_by_label("Remove the condition on author").press("Enter")
    expect(page.get_by_label("Predicate")).to_be_focused()
    page.get_by_role("tab", name="Table").click()
    expect(page.locator("tbody tr")).to_have_count(50)
