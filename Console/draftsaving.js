// SPDX-License-Identifier: Apache-2.0

// Saves a draft. What others have changed meanwhile is shown before, and is never overwritten unasked.

import {get, send} from "./api.js";
import {chooseSides} from "./conflict.js";
import {groupOf, markedConflicts, reportedConflicts, settle} from "./draftconflicts.js";
import {h} from "./dom.js";
import {counted, reference} from "./format.js";
import {reportChange} from "./session.js";
import {nameReferences} from "./titles.js";
import {dialog, toast} from "./widgets.js";

const EXPLANATION = "Others have saved other values since the draft has read them. Choose what to keep.";

/** The path of a draft. @param {string} draft */
export function draftPath(draft) {
    return `/api/contexts/${encodeURIComponent(draft)}`;
}

/**
 * Saves a draft, and reports what happens. If there are conflicts, the person chooses a side first.
 *
 * @param {string} draft
 * @returns {Promise<boolean>} Whether it was saved.
 */
export async function saveDraft(draft) {
    try {
        const ids = await save(draftPath(draft), draft);
        if (ids === null) return false;
        toast(savedText(Object.keys(ids).length));
        return true;
    } catch (error) {
        await showRefusal(error, draft);
        return false;
    } finally {
        reportChange();
    }
}

function savedText(created) {
    if (created === 0) return "The draft was saved.";
    return `The draft was saved, with ${counted(created, "new object")}.`;
}

/** @returns {Promise<Record<string, string> | null>} The references of new objects; null if the person cancels. */
async function save(path, draft) {
    let policy = await resolve(path, draft, markedConflicts(await get(`${path}/changes`)));
    while (policy !== null) {
        try {
            const prefer = policy === "" ? undefined : `merge=${policy}`;
            const {value} = await send(`${path}/save`, {method: "POST", prefer});
            return value?.ids ?? {};
        } catch (error) {
            const conflicts = error.code === "conflict" ? reportedConflicts(error) : [];
            if (conflicts.length === 0) throw error;
            policy = await resolve(path, draft, conflicts);
        }
    }
    return null;
}

/**
 * Lets the person choose, and changes the draft to what was chosen.
 *
 * @param {import("./draftconflicts.js").Conflict[]} conflicts
 * @returns {Promise<string | null>} The merge policy that the save needs; null if the person has cancelled.
 */
async function resolve(path, draft, conflicts) {
    const asked = conflicts.filter((conflict) => conflict.choices.length > 0);
    if (asked.length > 0 && !await ask(asked, draft)) return null;
    const policies = new Set();
    for (const conflict of conflicts) policies.add(await settle(path, conflict));
    policies.delete(null);
    if (policies.size < 2) return [...policies][0] ?? "";
    throw new Error("One save can't both bring back deleted objects and drop deletions. Choose one side for these.");
}

function ask(conflicts, draft) {
    const groups = conflicts.map(groupOf);
    nameAll(h("div", {}, groups.map((group) => group.heading)), draft);
    return chooseSides(EXPLANATION, groups);
}

/** Shows names instead of references; those of objects that are deleted in the draft are known outside of it. */
async function nameAll(element, draft) {
    await nameReferences(element, draft);
    await nameReferences(element, null);
}

/** Shows why the draft can't be saved, with links to the objects. */
function showRefusal(error, draft) {
    const errors = error.errors ?? [];
    const items = errors.map((one) => h("li", {}, one.object ? [reference(one.object), " "] : null, one.message));
    const list = h("ul", {}, items);
    nameReferences(list, draft);
    return dialog("The draft can't be saved yet", (close) => {
        list.addEventListener("click", (event) => { if (event.target.closest("a")) close(); });
        const text = errors.length === 0 ? error.message : "Correct this, and save again.";
        return [
            h("p", {}, text), list, h("div", {class: "buttons"},
                h("button", {type: "button", class: "primary", autofocus: true, onclick: () => close()}, "Close")),
        ];
    });
}
