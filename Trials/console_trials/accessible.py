# SPDX-License-Identifier: Apache-2.0
"""Rules that make the pages usable by keyboard, by screen readers and on phones, checked on what the browser shows."""

from playwright.sync_api import expect

from .desk import Desk, check
from .pages import present

# Each rule adds a sentence for each element that breaks it.
RULES = r"""(minimumTarget) => {
    const found = [];
    const isShown = (element) => element.checkVisibility({visibilityProperty: true, opacityProperty: true}) && element.getClientRects().length > 0
        && !element.closest("[aria-hidden=true], .visually-hidden, .skip");
    const describe = (element) => `<${element.tagName.toLowerCase()} class="${element.getAttribute("class") ?? ""}"> ${(element.textContent ?? "").slice(0, 40)}`;
    const named = (ids) => ids.split(/\s+/).map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
    const name = (element) => (element.getAttribute("aria-label") ?? (element.hasAttribute("aria-labelledby") ? named(element.getAttribute("aria-labelledby")) : null)
        ?? ([...(element.labels ?? [])].map((label) => label.textContent).join(" ") || element.textContent || element.getAttribute("alt") || element.title || "")).trim();

    const controls = [...document.querySelectorAll("a[href], button, input, select, textarea, [tabindex='0'], [role=tab], [role=menuitem], [role=grid], dialog, [role=img]")].filter(isShown);
    for (const element of controls) if (name(element) === "") found.push(`no name: ${describe(element)}`);
    for (const element of document.querySelectorAll("img:not([alt])")) found.push(`no alternative text: ${describe(element)}`);

    const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
    for (const id of new Set(ids.filter((one, place) => ids.indexOf(one) !== place))) found.push(`the identifier ${id} twice`);
    for (const attribute of ["aria-labelledby", "aria-describedby", "aria-controls", "aria-activedescendant", "for"]) {
        for (const element of document.querySelectorAll(`[${attribute}]`)) {
            for (const id of element.getAttribute(attribute).split(/\s+/)) if (document.getElementById(id) === null) found.push(`${attribute}=${id} leads nowhere`);
        }
    }

    const parents = {row: "grid, table, [role=grid], [role=rowgroup], [role=table]", gridcell: "[role=row]", columnheader: "[role=row]", rowgroup: "[role=grid]",
        option: "[role=listbox]", tab: "[role=tablist]", menuitem: "[role=menu]", menuitemcheckbox: "[role=menu]"};
    for (const [role, parent] of Object.entries(parents)) {
        for (const element of document.querySelectorAll(`[role=${role}]`)) if (element.parentElement.closest(parent) === null) found.push(`${role} outside of ${parent}`);
    }

    const headings = [...document.querySelectorAll("h1, h2, h3, h4")].filter((element) => isShown(element) && element.closest("dialog, .side") === null).map((element) => Number(element.tagName[1]));
    if (headings.filter((level) => level === 1).length !== 1) found.push(`headings: ${headings}`);
    if (document.documentElement.lang === "" || document.title === "") found.push("no language or title");

    const parse = (color) => {
        const numbers = color.match(/[\d.]+(?:e-?\d+)?/g)?.map(Number) ?? [0, 0, 0, 0];
        const scale = color.startsWith("color(") ? 255 : 1;
        return {rgb: numbers.slice(0, 3).map((one) => one * scale), alpha: numbers[3] ?? 1};
    };
    const over = (top, bottom) => top.rgb.map((one, place) => one * top.alpha + bottom[place] * (1 - top.alpha));
    const background = (element) => {
        if (element === null) return [255, 255, 255];
        const own = parse(getComputedStyle(element).backgroundColor);
        return own.alpha === 1 ? own.rgb : over(own, background(element.parentElement));
    };
    const luminance = (rgb) => {
        const [red, green, blue] = rgb.map((one) => one / 255).map((one) => one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const contrast = (one, other) => {
        const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
        return (light + 0.05) / (dark + 0.05);
    };
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
        const element = node.parentElement;
        if (node.data.trim() === "" || !isShown(element) || element.closest(":disabled, [aria-disabled=true], svg, option, .waiting") !== null) continue;
        const style = getComputedStyle(element);
        const ground = background(element);
        const size = parseFloat(style.fontSize);
        const needed = size >= 24 || (size >= 18.6 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
        const ratio = contrast(over(parse(style.color), ground), ground);
        if (ratio < needed - 0.01) found.push(`contrast ${ratio.toFixed(2)}: ${describe(element)}`);
    }

    for (const element of controls) {
        const box = element.getBoundingClientRect();
        const isInline = getComputedStyle(element).display === "inline" || element.closest("td, .cell, .filters") !== null;
        if (minimumTarget > 0 && !isInline && element.matches("a, button") && Math.min(box.width, box.height) < minimumTarget) found.push(`small target ${box.width.toFixed(0)}×${box.height.toFixed(0)}: ${describe(element)}`);
    }
    if (document.documentElement.scrollWidth > innerWidth) found.push(`the page is ${document.documentElement.scrollWidth} pixels wide, the window ${innerWidth}`);
    return [...new Set(found)].slice(0, 25);
}"""

FOCUSED = """() => {
    const element = document.activeElement;
    const style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    const isMarked = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 || element.matches(".menu button");
    return {tag: element.tagName, text: (element.getAttribute("aria-label") ?? element.textContent ?? "").slice(0, 30), isMarked: isMarked || element.tagName === "BODY",
        isSeen: box.width > 0 && box.height > 0 || element.tagName === "BODY", key: element.tagName === "BODY" ? "body" : [...document.querySelectorAll("*")].indexOf(element)};
}"""


BROKEN = []


def conclude():
    """Fails if a rule was broken."""
    broken = "\n".join(BROKEN)
    BROKEN.clear()
    check(broken == "", broken)


def obey(page, what, minimum_target=0):
    found = page.evaluate(RULES, minimum_target)
    if found:
        BROKEN.append(f"{what}:\n    " + "\n    ".join(found))


def try_pages_obey_the_rules_in_both_themes(desk):
    for theme in ["light", "dark"]:
        with Desk(desk.browser, desk.url, f"accessible in {theme}", color_scheme=theme) as seat:
            for address in present(desk):
                page = seat.open(address)
                page.wait_for_timeout(400)
                obey(page, f"{address} in {theme} colors")
                page.close()
    conclude()


def try_pages_fit_on_a_phone(desk):
    with Desk(desk.browser, desk.url, "a phone", width=360, height=740, has_touch=True, is_mobile=True) as seat:
        for address in present(desk):
            page = seat.open(address)
            page.wait_for_timeout(400)
            obey(page, f"{address} on a phone", minimum_target=24)
            page.close()
    conclude()


def try_dialogs_and_menus_obey_the_rules(desk):
    page = desk.open("#/data/Post")
    page.wait_for_selector(".grid .line")
    page.keyboard.press("?")
    obey(page, "the list of keys")
    page.keyboard.press("Escape")
    for button, item in [("Columns", "Reorder"), ("More", "curl"), ("More", "Import"), ("More", "Change all"), ("More", "Delete all"), ("Menu", "name in the history"), ("Menu", "Sign in")]:
        page.get_by_role("button", name=button, exact=True).click()
        obey(page, f"the menu {button}")
        page.get_by_role("menuitem", name=item).click()
        page.wait_for_selector("dialog[open]")
        page.wait_for_timeout(500)
        obey(page, f"the dialog of {item}")
        page.keyboard.press("Escape")
        expect(page.locator("dialog"), f"dialogs after Escape in {item}").to_have_count(0)
    conclude()


def try_tab_reaches_everything_once(desk):
    for address in present(desk):
        page = desk.open(address)
        page.wait_for_timeout(400)
        page.locator("body").evaluate("document.activeElement.blur()")
        seen = []
        for _ in range(200):
            page.keyboard.press("Tab")
            focused = page.evaluate(FOCUSED)
            # The parts of a date are in one element.
            if seen and focused["key"] == seen[-1]:
                continue
            if focused["key"] in seen:
                break
            seen.append(focused["key"])
            check(focused["isSeen"], f"{address}: the focus is on something that isn't seen: {focused}")
            check(focused["isMarked"], f"{address}: the focus isn't marked on {focused}")
        check(len(seen) > 8, f"{address}: Tab reaches only {len(seen)} elements")
        check(len(seen) < 120, f"{address}: Tab doesn't come around")
        page.close()
