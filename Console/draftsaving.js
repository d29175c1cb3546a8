// SPDX-License-Identifier: Apache-2.0

// Saves a draft. What others have changed meanwhile is shown before, and is never overwritten unasked.

import {get, send} from "./api.js";
import {chooseSides} from "./conflict.js";
import {groupOf, keyOf, markedConflicts, reportedConflicts, settle} from "./draftconflicts.js";
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
    /** The merge policies that were chosen for whole objects, by their conflicts. @type {Map<string, string>} */
    const chosen = new Map();
    let policy = "";
    let conflicts = await marked(path, chosen);
    while (true) {
        while (conflicts.length > 0) {
            if (!await ask(conflicts, draft)) return null;
            conflicts = await settled(path, conflicts, chosen) ? [] : await marked(path, chosen);
        }
        try {
            const prefer = policy === "" ? undefined : `merge=${policy}`;
            const {value} = await send(`${path}/save`, {method: "POST", prefer});
            return value?.ids ?? {};
        } catch (error) {
            const reported = error.code === "conflict" ? reportedConflicts(error) : [];
            conflicts = reported.filter((conflict) => !chosen.has(keyOf(conflict)));
            if (conflicts.length === 0 && (reported.length === 0 || policy !== "")) throw error;
            policy = conflicts.length > 0 ? "" : policyFor(reported, chosen);
        }
    }
}

/** The conflicts that are marked, but for those that a policy was chosen for. */
async function marked(path, chosen) {
    return markedConflicts(await get(`${path}/changes`)).filter((conflict) => !chosen.has(keyOf(conflict)));
}

/**
 * Changes the draft to what was chosen, and keeps the policies that the save needs.
 *
 * @param {import("./draftconflicts.js").Conflict[]} conflicts
 * @param {Map<string, string>} chosen
 * @returns {Promise<boolean>} False if others have saved again, so that there are other conflicts.
 */
async function settled(path, conflicts, chosen) {
    let isSettled = true;
    for (const conflict of conflicts) {
        try {
            const policy = await settle(path, conflict);
            if (policy !== null) chosen.set(keyOf(conflict), policy);
        } catch (error) {
            if (error.code !== "conflict") throw error;
            isSettled = false;
        }
    }
    return isSettled;
}

/** The policy of a save all of whose conflicts were chosen. A policy holds for the whole save. */
function policyFor(conflicts, chosen) {
    const policies = new Set(conflicts.map((conflict) => chosen.get(keyOf(conflict))));
    if (policies.size === 1) return [...policies][0];
    throw new Error("One save can't both bring back deleted objects and drop deletions. Choose one side for these.");
}

/** Lets the person choose. */
async function ask(conflicts, draft) {
    const groups = conflicts.filter((conflict) => conflict.choices.length > 0).map(groupOf);
    if (groups.length === 0) return true;
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
