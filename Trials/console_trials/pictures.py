# SPDX-License-Identifier: Apache-2.0
"""Pictures of the pages, in both themes and at three widths."""

from .desk import Desk

WIDTHS = [1440, 820, 390]
THEMES = ["light", "dark"]
PAGES = {
    "data": "#/data/Post",
    "data-predicate": "#/data/Post?where=views > 10 AND vews < 9",
    "data-empty": "#/data/Tag?filter.name=nothing",
    "object": "#/object/posts/1",
    "object-new": "#/object/posts/new",
    "model": "#/model",
    "drafts": "#/drafts",
    "query": "#/query",
    "live": "#/live",
    "access": "#/access",
}


def take(browser, url, folder, only=""):
    """Photographs each page into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for theme in THEMES:
        for width in WIDTHS:
            with Desk(browser, url, width=width, height=900, color_scheme=theme) as desk:
                desk.hear = lambda message: None
                for name, address in PAGES.items():
                    if only in name:
                        page = desk.open(address)
                        page.wait_for_timeout(600)
                        page.screenshot(path=folder / f"{name}-{width}-{theme}.png")
                        page.close()
