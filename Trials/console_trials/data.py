# SPDX-License-Identifier: Apache-2.0
"""The page Data."""

from playwright.sync_api import expect

from .desk import check, equal


def rows(page):
    return page.locator(".grid .line:not(.waiting)")


def column(page, name):
    """The texts of a column's cells, from the top."""
    heads = page.locator(".grid .head [data-head] button span").all_inner_texts()
    cells = page.locator(f".grid .cell[data-column='{heads.index(name)}']")
    found = [(int(cell.get_attribute("data-place")), cell.inner_text()) for cell in cells.all()]
    return [text for _, text in sorted(found)]


def cell(page, place, name):
    page.wait_for_selector(".grid .head [data-head]")
    heads = page.locator(".grid .head [data-head] button span").all_inner_texts()
    return page.locator(f".grid .cell[data-place='{place}'][data-column='{heads.index(name)}']")


def try_columns_are_in_the_models_order(desk):
    page = desk.open("#/data/Post")
    expect(rows(page).first).to_be_visible()
    heads = page.locator(".grid .head [data-head] button span").all_inner_texts()
    equal(heads[:5], ["title", "canonicalTitle", "commentCount", "content", "cover"], "the first columns")
    equal(heads[-2:], ["author", "inReplyTo"], "the last columns")
    equal(page.title(), "Post · Outcrop", "the title")
    expect(page.locator(".footer")).to_contain_text("objects")


def try_columns_are_chosen_moved_and_remembered(desk):
    page = desk.open("#/data/Tag")
    expect(rows(page).first).to_be_visible()
    page.get_by_role("button", name="Columns").click()
    page.get_by_role("menuitemcheckbox", name="key").click()
    page.keyboard.press("Escape")
    head = page.locator(".grid [data-head='1'] button")
    head.focus()
    page.keyboard.press("Alt+ArrowLeft")
    equal(page.locator(".grid .head [data-head] button span").all_inner_texts(), ["color", "name"], "the columns")
    page.reload()
    expect(rows(page).first).to_be_visible()
    equal(page.locator(".grid .head [data-head] button span").all_inner_texts(), ["color", "name"], "the remembered columns")
    page.get_by_role("button", name="Columns").click()
    page.get_by_role("menuitem", name="Reorder").click()
    handle = page.locator("dialog .handle").first
    handle.focus()
    page.keyboard.press("ArrowDown")
    equal(page.locator("dialog li").all_inner_texts(), ["name", "color"], "the order in the dialog")
    box, target = page.locator("dialog .handle").nth(0).bounding_box(), page.locator("dialog li").nth(1).bounding_box()
    page.mouse.move(box["x"] + 8, box["y"] + 8)
    page.mouse.down()
    page.mouse.move(target["x"] + 60, target["y"] + 10, steps=4)
    page.mouse.up()
    expect(page.locator("dialog li").first).to_have_text("color")
    page.keyboard.press("Escape")


def try_heads_sort(desk):
    page = desk.open("#/data/Post")
    head = page.locator(".grid .head").get_by_role("button", name="title", exact=True)
    head.click()
    expect(cell(page, 0, "title")).to_have_text("The Amber Candle")
    head.click()
    check("sort=-title" in page.url, "the order isn't in the address")
    expect(page.get_by_role("columnheader", name="title", exact=True)).to_have_attribute("aria-sort", "descending")
    expect(head.locator(".icon")).to_be_visible()
    titles = column(page, "title")
    page.wait_for_timeout(300)
    titles = column(page, "title")
    equal(titles, sorted(titles, reverse=True), "the titles")
    page.locator(".grid .head").get_by_role("button", name="author", exact=True).click()
    page.wait_for_url("**sort=author.name")


def try_one_returns_to_where_one_was(desk):
    tag = desk.ask("POST", "/api/tags", {"name": "zzz place"})["_id"]
    page = desk.open("#/data/Tag?sort=name&filter.name=e")
    page.get_by_role("button", name="Clear").click()
    page.wait_for_url("**/#/data/Tag?sort=name")
    cell(page, 0, "name").focus()
    page.keyboard.press("Control+End")
    last = page.locator(".grid .cell:focus")
    expect(last).to_be_visible()
    place = int(last.get_attribute("data-place"))
    cell(page, place, "color").focus()
    page.keyboard.press("F2")
    page.keyboard.type("#010203")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Undo color")).to_be_visible()
    cell(page, place, "name").get_by_role("link").click()
    expect(page.get_by_role("heading", name="zzz place")).to_be_visible()
    page.go_back()
    expect(cell(page, place, "name")).to_be_focused()
    page.get_by_role("button", name="Undo color").click()
    expect(cell(page, place, "color")).to_have_text("nil")
    desk.ask("DELETE", f"/api/{tag}")


def try_search_filters_and_predicates(desk):
    page = desk.open("#/data/Post")
    page.keyboard.press("/")
    page.keyboard.type("temple clou")
    count = desk.ask("GET", "/api/posts?search=temple+clou*&result=count")["count"]
    expect(page.locator(".footer [role=status]")).to_have_text(f"{count} objects")
    page.get_by_role("searchbox").fill("")
    page.get_by_label("Filter views").fill("100..500")
    page.get_by_label("Filter author").fill("ada")
    count = desk.ask("GET", "/api/posts?result=count&where=views+BETWEEN+%7B100,500%7D+AND+author.name+CONTAINS%5Bcd%5D+%22ada%22")["count"]
    expect(page.locator(".footer [role=status]")).to_have_text(f"{count} object{'' if count == 1 else 's'}")
    expect(page.locator(".footer .where")).to_contain_text("views >= 100")
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Filters into the predicate").click()
    expect(page.get_by_label("Predicate")).to_have_value('(views >= 100 AND views <= 500) AND (author.name CONTAINS[cd] "ada")')
    expect(page.get_by_label("Filter views")).to_have_value("")
    page.get_by_role("button", name="Clear").click()
    expect(page.locator(".footer [role=status]")).to_have_text("374 objects")


def try_predicates_are_completed(desk):
    page = desk.open("#/data/Post")
    field = page.get_by_label("Predicate")
    field.click()
    page.keyboard.type("aut")
    expect(page.locator(".suggestions li")).to_have_count(1)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.type("na")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(field).to_have_value("author.name ")
    page.keyboard.type("BEG")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.keyboard.type('"Ada')
    option = page.get_by_role("option", name='"Ada Fernridge"')
    expect(option).to_be_visible()
    option.click()
    expect(field).to_have_value('author.name BEGINSWITH[cd] "Ada Fernridge" ')
    page.keyboard.press("Enter")
    expect(page.locator(".footer [role=status]")).not_to_have_text("374 objects")
    field.fill("views > 3 AND vews < 9")
    field.press("Enter")
    expect(page.locator(".predicate-failure mark")).to_have_text("vews")
    page.get_by_role("button", name="Use “views”").click()
    expect(field).to_have_value("views > 3 AND views < 9")
    expect(page.locator(".predicate-failure")).to_be_hidden()


def try_cells_are_edited(desk):
    tag = desk.ask("POST", "/api/tags", {"name": "aaa cell", "color": "#112233"})
    page = desk.open("#/data/Tag?sort=name")
    cell(page, 0, "name").focus()
    page.keyboard.press("F2")
    page.keyboard.press("Control+A")
    page.keyboard.type("aaa edited")
    page.keyboard.press("Enter")
    expect(cell(page, 0, "name")).to_have_text("aaa edited")
    equal(desk.ask("GET", f"/api/{tag['_id']}")["name"], "aaa edited", "the stored name")
    expect(cell(page, 0, "key")).to_have_text("aaa edited")
    cell(page, 0, "color").dblclick()
    page.keyboard.press("Control+A")
    page.keyboard.type("green")
    expect(page.get_by_role("alert")).to_contain_text("doesn't match")
    page.keyboard.press("Escape")
    expect(cell(page, 0, "color")).to_have_text("#112233")
    page.get_by_role("button", name="Undo name").click()
    expect(cell(page, 0, "name")).to_have_text("aaa cell")
    cell(page, 0, "name").focus()
    page.keyboard.press("F2")
    page.keyboard.press("Control+A")
    page.keyboard.type("acorn")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("must be unique")
    page.keyboard.press("Escape")
    desk.ask("DELETE", f"/api/{tag['_id']}")


def try_conflicts_in_cells_are_shown_side_by_side(desk):
    tag = desk.ask("POST", "/api/tags", {"name": "aaa conflict"})
    page = desk.open("#/data/Tag?sort=name")
    expect(cell(page, 0, "name")).to_have_text("aaa conflict")
    desk.ask("PATCH", f"/api/{tag['_id']}", {"color": "#445566"})
    cell(page, 0, "name").focus()
    page.keyboard.press("F2")
    page.keyboard.press("Control+A")
    page.keyboard.type("aaa mine")
    page.keyboard.press("Enter")
    expect(cell(page, 0, "color")).to_have_text("#445566")
    desk.ask("PATCH", f"/api/{tag['_id']}", {"name": "aaa theirs"})
    cell(page, 0, "name").focus()
    page.keyboard.press("F2")
    page.keyboard.press("Control+A")
    page.keyboard.type("aaa again")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("aaa theirs")
    dialog.get_by_role("radio").first.check()
    dialog.get_by_role("button", name="Save").click()
    expect(cell(page, 0, "name")).to_have_text("aaa theirs")
    desk.ask("DELETE", f"/api/{tag['_id']}")


def try_changes_of_others_appear(desk):
    page = desk.open("#/data/Tag?sort=name")
    expect(rows(page).first).to_be_visible()
    page.wait_for_timeout(500)
    tag = desk.ask("POST", "/api/tags", {"name": "aaa from elsewhere"})
    expect(cell(page, 0, "name")).to_have_text("aaa from elsewhere")
    cell(page, 0, "name").focus()
    desk.ask("PATCH", f"/api/{tag['_id']}", {"color": "#998877"})
    expect(cell(page, 0, "color")).to_have_text("#998877")
    expect(cell(page, 0, "name")).to_be_focused()
    desk.ask("DELETE", f"/api/{tag['_id']}")
    expect(cell(page, 0, "name")).not_to_have_text("aaa from elsewhere")


def try_many_rows_are_changed_and_deleted_after_a_dry_run(desk):
    desk.ask("POST", "/api/tags/batch-insert", [{"name": f"aab {number}"} for number in range(6)])
    page = desk.open("#/data/Tag?where=name BEGINSWITH \"aab\"&sort=name")
    page.get_by_label("Select tags").first.click()
    page.get_by_label("Select tags").nth(3).click(modifiers=["Shift"])
    expect(page.get_by_role("region", name="Selection")).to_contain_text("4 objects selected")
    expect(page.get_by_role("button", name="Delete all 6 …")).to_be_visible()
    page.get_by_role("button", name="Change …", exact=True).click()
    page.get_by_label("Property to set").select_option("color")
    page.get_by_label("Property to set").select_option("name")
    page.get_by_label("Don't set name").click()
    expect(page.get_by_text("enter its value or choose nil")).to_be_visible()
    expect(page.locator("dialog").get_by_role("button", name="Change", exact=True)).to_be_disabled()
    page.get_by_label("Set color to nil").click()
    expect(page.locator("dialog .note")).to_contain_text("would change 4 objects")
    page.get_by_label("Set color to nil").click()
    page.locator("dialog").get_by_label("color", exact=True).fill("#010203")
    expect(page.locator("dialog .note")).to_contain_text("would change 4 objects")
    equal(desk.ask("GET", "/api/tags?color=%23010203&result=count")["count"], 0, "changed by the dry run")
    page.get_by_role("button", name="Change 4 objects").click()
    expect(cell(page, 3, "color")).to_have_text("#010203")
    expect(page.get_by_role("region", name="Selection")).to_be_hidden()
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Delete all of these").click()
    page.get_by_role("button", name="Delete 6 objects").click()
    expect(page.locator(".empty")).to_contain_text("Nothing matches")


def try_files_go_out_and_in(desk):
    page = desk.open("#/data/Tag?where=name BEGINSWITH \"c\"&sort=name")
    expect(rows(page).first).to_be_visible()
    for name in ["CSV", "NDJSON"]:
        with page.expect_download() as download:
            page.get_by_role("button", name="More").click()
            page.get_by_role("menuitem", name=f"Export as {name}").click()
        path = download.value.path()
        lines = path.read_text().splitlines()
        equal(len(lines), 14 + (name == "CSV"), f"the lines of {name}")
        page.get_by_role("button", name="More").click()
        page.get_by_role("menuitem", name="Import").click()
        if name == "CSV":
            text = "name\nzz one\nzz two\n"
        else:
            text = '{"name":"zz three"}\n{"name":"zz four"}\n'
        page.get_by_label("File").set_input_files({"name": f"tags.{name.lower()}", "mimeType": "text/plain", "buffer": text.encode()})
        expect(page.locator("dialog .note")).to_contain_text("2 objects would be inserted")
        page.get_by_role("button", name="Import", exact=True).click()
        expect(page.get_by_role("dialog")).to_have_count(0)
    equal(desk.ask("GET", "/api/tags?where=name+BEGINSWITH+%22zz%22&result=count")["count"], 4, "the imported tags")
    desk.ask("POST", "/api/tags/batch-delete", {"where": 'name BEGINSWITH "zz"'})


def try_an_exported_table_is_imported_again(desk):
    page = desk.open("#/data/Post?where=views > 900&sort=title")
    expect(rows(page).first).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="More").click()
        page.get_by_role("menuitem", name="Export as CSV").click()
    expect(page.locator(".toast", has_text="posts.csv was written.")).to_be_visible()
    equal(page.locator(".toast").count(), 1, "messages about the export")
    text = download.value.path().read_text()
    check("users/" in text and ",author,inReplyTo\n" in text, f"related objects aren't references: {text.splitlines()[0]}")
    total = desk.ask("GET", "/api/posts?result=count")["count"]
    count = desk.ask("GET", "/api/posts?where=views+%3E+900&result=count")["count"]
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Import").click()
    expect(page.get_by_role("dialog")).to_contain_text("No two objects have the same slug")
    page.get_by_label("File").set_input_files({"name": "posts.csv", "mimeType": "text/csv", "buffer": text.encode()})
    expect(page.locator("dialog .problem")).to_contain_text("Line 2: ")
    page.get_by_label("If a value is taken").select_option("overwrite")
    expect(page.locator("dialog .note")).to_contain_text(f"{count} objects would be changed")
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.locator("#toasts")).to_contain_text(f"{count} objects changed.")
    equal(desk.ask("GET", "/api/posts?result=count")["count"], total, "posts after the import")


def try_rows_are_added_to_an_exported_table(desk):
    page = desk.open("#/data/Tag")
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Import").click()
    text = '_id,_entity,_version,name,color\n,,,zy one,#123\n,,,zy two,#112233\n'
    table = {"name": "tags.csv", "mimeType": "text/csv", "buffer": text.encode()}
    page.get_by_label("File").set_input_files(table)
    expect(page.locator("dialog .problem")).to_contain_text("Line 2: color")
    table["buffer"] = text.replace("#123\n", "#112233\n").replace("zy two", "harbour").encode()
    page.get_by_label("File").set_input_files(table)
    expect(page.locator("dialog .problem")).to_contain_text("Line 3: name must be unique")
    page.get_by_label("If a value is taken").select_option("overwrite")
    expect(page.locator("dialog .note")).to_contain_text("1 object would be inserted, 1 object would be changed")
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.locator("#toasts")).to_contain_text("1 object inserted, 1 object changed.")
    desk.ask("POST", "/api/tags/batch-delete", {"where": 'name BEGINSWITH "zy"'})


def try_a_hundred_thousand_rows_scroll(desk):
    lines = "\n".join(f'{{"at":"2026-02-01T00:00:00Z","path":"/row/{number:06}"}}' for number in range(100_000))
    desk.ask("POST", "/api/visits/batch-insert", lines.encode(), {"Content-Type": "application/x-ndjson"})
    page = desk.open("#/data/Visit?sort=path&where=path BEGINSWITH \"/row\"")
    expect(page.locator(".footer [role=status]")).to_contain_text("100\u202f000 objects")
    cell(page, 0, "path").focus()
    page.keyboard.press("Control+End")
    expect(cell(page, 99_999, "path")).to_have_text("/row/099999")
    page.keyboard.press("Control+Home")
    expect(cell(page, 0, "path")).to_have_text("/row/000000")
    frames = page.evaluate("""async () => {
        const grid = document.querySelector(".grid"), times = [];
        let last = performance.now();
        for (let step = 0; step < 60; step += 1) {
            grid.scrollTop += 900;
            await new Promise(requestAnimationFrame);
            times.push(performance.now() - last);
            last = performance.now();
        }
        return times.sort((one, other) => one - other);
    }""")
    check(frames[len(frames) // 2] < 60, f"a frame takes {frames[len(frames) // 2]:.0f} ms while scrolling")
    place = page.evaluate("Math.round(document.querySelector('.grid').scrollTop / 32) + 3")
    expect(cell(page, place, "path")).to_have_text(f"/row/{place:06}")
    elements = page.evaluate("document.querySelectorAll('*').length")
    check(elements < 3000, f"there are {elements} elements")
    desk.ask("POST", "/api/visits/batch-delete", {"where": 'path BEGINSWITH "/row"'})
