// SPDX-License-Identifier: Apache-2.0

// The line below the navigation while a draft is edited: what it has changed, undo, redo, and saving.

import {dataPath, get, send} from "./api.js";
import {h, show, showAgain} from "./dom.js";
import {counted} from "./format.js";
import {icon} from "./icons.js";
import {pageEdits} from "./pageedits.js";
import {reportChange, session} from "./session.js";
import {Turns} from "./turns.js";
import {failureToast, problem, toast} from "./widgets.js";

const turns = new Turns();

const bar = document.getElementById("draft-bar");

/** Shows the state of the draft, if one is edited. */
export async function showDraft() {
    const isLatest = turns.begin();
    const {draft} = session;
    bar.hidden = draft === null;
    if (draft === null) return;
    try {
        const state = await get(dataPath("").replace(/\/$/, ""));
        if (isLatest()) showAgain(bar, contents(state), focusStep);
    } catch (error) {
        if (!isLatest()) return;
        if (error.status === 404 || error.status === 410) {
            toast("The draft has ended.");
            session.change({draft: null});
        } else if (error.status !== 0) {
            show(bar, problem(error));
        }
    }
}

function contents(state) {
    const address = `#/drafts/${state.context}`;
    const changes = [
        state.inserted > 0 && `${state.inserted} new`, state.updated > 0 && `${state.updated} changed`,
        state.deleted > 0 && `${state.deleted} deleted`,
    ].filter(Boolean).join(", ");
    return [
        icon("draft"), h("a", {href: address}, state.name ? `Draft “${state.name}”` : `Draft ${state.context}`),
        h("span", {class: "quiet"}, changes || "no changes yet"),
        state.conflicts > 0 ? h("a", {href: address, class: "badge bad"}, counted(state.conflicts, "conflict")) : null,
        h("span", {class: "spring"}),
        step("undo", "Undo", state.undo), step("redo", "Redo", state.redo),
        h("button", {type: "button", class: "small primary", onclick: () => save(state)}, "Save"),
        h("button", {type: "button", class: "small", onclick: leave}, "Leave"),
    ];
}

/** A button that goes a step back or forth. */
function step(verb, label, count) {
    return h("button", {
        type: "button", class: "small", "aria-label": label, data: {key: verb}, disabled: count === 0,
        onclick: () => act(verb),
    }, icon(verb), h("span", {}, label));
}

/** The step that can be gone after the last one in a direction. */
function focusStep() {
    bar.querySelector("[data-key]:enabled")?.focus();
}

async function act(verb) {
    try {
        await send(dataPath(verb), {method: "POST"});
        reportChange();
    } catch (error) {
        failureToast(error);
    }
}

async function leave() {
    if (await pageEdits.discard()) session.change({draft: null});
}

/** Saves the draft, with what is edited on the shown page. */
async function save({context, hasChanges}) {
    const isEdited = pageEdits.isEdited();
    if (isEdited && !await pageEdits.save()) return;
    if (!isEdited && !hasChanges) {
        toast("Nothing is to be saved.");
        return;
    }
    const {saveDraft} = await import("./draftsaving.js");
    await saveDraft(context);
}
