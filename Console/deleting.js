// SPDX-License-Identifier: Apache-2.0

// Deletes an object after it was said what goes with it, and what stands in the way.

import {dataPath, send, session} from "./api.js";
import {h} from "./dom.js";
import {counted, reference, titleOf} from "./format.js";
import {dialog, problem, toast} from "./widgets.js";

export async function deleteObject(object, entity) {
    const path = dataPath(object._id);
    let trial = null, refusal = null;
    try { trial = (await send(`${path}?dryRun=true`, {method: "DELETE"})).value ?? {deleted: [object._id]}; } catch (error) { refusal = error; }
    const isDone = await dialog(`Delete ${titleOf(object)}`, (close) => {
        if (refusal !== null) {
            return [problem(refusal), refusal.errors.flatMap((error) => error.objects ?? []).length > 0 ? [h("h3", {}, "In the way"), h("ul", {}, refusal.errors.flatMap((error) => error.objects ?? []).map((id) => h("li", {}, h("a", {href: `#/object/${id}`, onclick: () => close()}, id))))] : null];
        }
        const others = (trial.deleted ?? []).filter((id) => id !== object._id), nullified = trial.nullified ?? [];
        return [others.length === 0 ? h("p", {}, "No other object is deleted.") : [h("p", {}, `It takes ${counted(others.length, "object")} with it:`), listOf(others)],
            nullified.length === 0 ? null : [h("p", {}, `${counted(nullified.length, "relationship")} to it will be emptied:`), h("ul", {}, nullified.slice(0, 15).map((one) => h("li", {}, reference(one._id), ` ${one.property}`)), nullified.length > 15 ? h("li", {class: "quiet"}, `and ${nullified.length - 15} more`) : null)],
            h("div", {class: "buttons"}, h("button", {type: "button", onclick: () => close(false)}, "Cancel"), h("button", {type: "button", class: "danger", autofocus: true, onclick: async () => {
                try { await send(path, {method: "DELETE"}); close(true); } catch (error) { toast(error.message, "bad"); }
            }}, others.length === 0 ? "Delete" : `Delete ${counted(others.length + 1, "object")}`))];
    });
    if (isDone !== true) return;
    toast(session.draft === null ? "Deleted." : "Deleted in the draft.");
    dispatchEvent(new Event("outcrop-changed"));
    location.hash = `#/data/${entity.name}`;
}

function listOf(ids) { return h("ul", {}, ids.slice(0, 15).map((id) => h("li", {}, reference(id))), ids.length > 15 ? h("li", {class: "quiet"}, `and ${ids.length - 15} more`) : null); }
