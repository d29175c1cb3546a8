// SPDX-License-Identifier: Apache-2.0

// The open drafts, and a form that opens one.

import {get, send} from "../api.js";
import {h} from "../dom.js";
import {ago} from "../format.js";
import {go} from "../navigation.js";
import {session} from "../session.js";
import {failureToast, table} from "../widgets.js";

const HEADS = ["Draft", "Draft of", "Opened", "Ends, unless used"];
const EXPLANATION = "A draft holds changes of any number of objects, which others don't see until it is saved. "
    + "While you edit one, all pages show the data as they are in it.";
const MERGES = "Otherwise it stays on what it has read, and its save finds conflicts";

/** @returns {Promise<HTMLElement>} */
export async function makeList() {
    const {items, lost = []} = await get("/api/contexts");
    return h("div", {class: "page"},
        h("div", {class: "heading"}, h("h1", {}, "Drafts")),
        h("p", {class: "quiet"}, EXPLANATION), form(),
        items.length === 0 ? h("p", {class: "quiet"}, "No draft is open.") : table(HEADS, items.map(row), "Drafts"),
        lost.length === 0 ? null : [h("h2", {}, "Drafts that can't be read"), lost.map(lostDraft)]);
}

function row(draft) {
    const isEdited = session.draft === draft.context;
    return [
        [link(draft.context, draft.name), isEdited ? [" ", h("span", {class: "badge warn"}, "you edit it")] : null],
        draft.parent ? link(draft.parent) : "", time(draft.created), time(draft.expires),
    ];
}

function link(context, name) {
    return h("a", {href: `#/drafts/${context}`}, name ?? context);
}

function time(value) {
    return value ? h("time", {datetime: value, title: value}, ago(value)) : "";
}

function lostDraft(lost) {
    return h("p", {}, h("code", {}, lost.context ?? lost.name), " ", lost.reason);
}

function form() {
    const name = h("input", {placeholder: "Name, for people", "aria-label": "Name of the draft", maxlength: 200});
    const merges = h("input", {type: "checkbox", $checked: true});
    const submit = (event) => {
        event.preventDefault();
        const body = {};
        if (name.value.trim() !== "") body.name = name.value.trim();
        if (!merges.checked) body.automaticallyMergesChanges = false;
        openDraft(body);
    };
    return h("form", {class: "row card draft-form", onsubmit: submit},
        h("span", {class: "spring"}, name),
        h("label", {class: "row", title: MERGES}, merges, "shows what others save"),
        h("button", {class: "primary", data: {key: "n"}}, "Open a draft"));
}

/** Opens a draft, and goes to it. @param {Record<string, any>} body */
export async function openDraft(body) {
    try {
        const {value} = await send("/api/contexts", {method: "POST", body});
        session.change({draft: value.context});
        go(`#/drafts/${value.context}`);
    } catch (error) {
        failureToast(error);
    }
}
