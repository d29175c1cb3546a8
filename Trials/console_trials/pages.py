# SPDX-License-Identifier: Apache-2.0
"""The addresses of all pages."""

import urllib.error
import urllib.request

ADDRESSES = [
    "#/data/Post", "#/data/Contact", "#/data/Tag?filter.name=nothing", "#/data/Post?where=vews > 3", "#/object/posts/1", "#/object/users/101",
    "#/object/posts/new", "#/model", "#/model/Post", "#/model/edit", "#/drafts", "#/query?entity=Post&limit=5", "#/live", "#/live/history", "#/live/server",
    "#/access", "#/reference", "#/none", "#/object/posts/0",
]


def present(desk):
    """The addresses of pages that there are."""
    def exists(address):
        name = address[2:].split("/")[0].split("?")[0]
        try:
            urllib.request.urlopen(f"{desk.url}/{name}/page.js", timeout=10).close()
        except urllib.error.HTTPError:
            return name == "none"
        return True

    return [address for address in ADDRESSES if exists(address)]
