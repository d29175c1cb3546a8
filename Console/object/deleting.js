// SPDX-License-Identifier: Apache-2.0

// Deletes an object, after showing what goes with it and what stands in its way.

import {dataPath, send} from "../api.js";
import {h} from "../dom.js";
import {counted, titleOf} from "../format.js";
import {model} from "../model.js";
import {reportChange, session} from "../session.js";
import {namedLinks} from "../titles.js";
import {dialog, problem, toast} from "../widgets.js";

const SHOWN = 12;

/**
 * Asks whether to delete an object.
 *
 * @param {Record<string, any>} object
 * @returns {Promise<boolean>} Whether it was deleted.
 */
export async function deleteObject(object) {
    const path = dataPath(object._id);
    let outcome = null;
    let refusal = null;
    try {
        outcome = (await send(`${path}?dryRun=true`, {method: "DELETE"})).value ?? {};
    } catch (error) {
        refusal = error;
    }
    const isDeleted = await dialog(
        `Delete ${titleOf(object)}`,
        (close) => refusal === null ? preview(object, outcome, path, close) : obstacles(refusal, close),
    );
    if (isDeleted !== true) return false;
    toast(session.draft === null ? "Deleted." : "Deleted in the draft.");
    reportChange();
    return true;
}

/** What would be deleted, and what would lose a relationship. */
function preview(object, {deleted = [], nullified = []}, path, close) {
    const others = deleted.filter((reference) => reference !== object._id);
    const failure = h("div");
    const remove = async () => {
        try {
            await send(path, {method: "DELETE", prefer: "return=minimal"});
            close(true);
        } catch (error) {
            failure.replaceChildren(problem(error));
        }
    };
    return [
        others.length === 0 ? h("p", {}, "No other object is deleted with it.")
            : [
                h("p", {}, `This also deletes ${counted(others.length, "other object")}: ${byEntity(others)}.`),
                links(others, close),
            ],
        nullified.length === 0 ? null : [
            h("p", {}, `${counted(nullified.length, "relationship")} of other objects will no longer have it:`),
            links(nullified.map((one) => one._id), close, nullified.map((one) => one.property)),
        ],
        failure,
        h("div", {class: "buttons"},
            h("button", {type: "button", autofocus: true, onclick: () => close(false)}, "Cancel"),
            h(
                "button", {type: "button", class: "danger", onclick: remove},
                others.length === 0 ? "Delete" : `Delete ${counted(deleted.length, "object")}`,
            )),
    ];
}

/** What stands in the way of a deletion. */
function obstacles(error, close) {
    const lists = error.errors.map((one) => [h("p", {}, one.message), links(one.objects ?? [], close)]);
    return [
        lists.length === 0 ? problem(error) : lists,
        h("p", {class: "quiet"}, "Delete or change these objects first."),
        h(
            "div", {class: "buttons"},
            h("button", {type: "button", autofocus: true, onclick: () => close(false)}, "Close"),
        ),
    ];
}

function byEntity(references) {
    const counts = Map.groupBy(references, (reference) => model.entityOf(reference)?.name ?? "other");
    return [...counts].map(([name, own]) => `${own.length} ${name}`).join(", ");
}

function links(references, close, notes = []) {
    const shown = namedLinks([...new Set(references)].slice(0, SHOWN));
    const rest = references.length - shown.length;
    return h("ul", {onclick: (event) => { if (event.target.closest("a") !== null) close(false); }},
        shown.map((link, place) =>
            h("li", {}, link, notes[place] ? h("span", {class: "quiet"}, ` ${notes[place]}`) : null)),
        rest > 0 ? h("li", {class: "quiet"}, `and ${rest} more`) : null);
}
