// SPDX-License-Identifier: Apache-2.0

// Shows a conflict side by side: what a value was, what others have saved, and what the person has entered.

import {h, uniqueID} from "./dom.js";
import {shown, titleOf} from "./format.js";
import {dialog, table} from "./widgets.js";

/**
 * Lets the person choose between stored and own values.
 *
 * @param {import("./model.js").Entity} entity
 * @param {string[]} names The properties that both sides have changed.
 * @param {{before: Record<string, any>, stored: Record<string, any>, own: Record<string, any>}} values
 * @returns {Promise<Set<string> | null>} The properties whose own values are saved; null if nothing is.
 */
export function chooseValues(entity, names, {before, stored, own}) {
    const kept = new Set(names);
    const rows = names.map((name) => {
        const property = entity.property(name);
        const group = uniqueID("choice");
        const choice = (isOwn, value) => {
            const choose = () => {
                if (isOwn) kept.add(name);
                else kept.delete(name);
            };
            const input = h("input", {type: "radio", name: group, $checked: isOwn, onchange: choose});
            return h("label", {class: "row choice"}, input, h("span", {}, shown(value, property)));
        };
        return [name, shown(before[name], property), choice(false, stored[name]), choice(true, own[name])];
    });
    return dialog("Others have changed this, too", (close) => [
        h("p", {class: "quiet"}, `Others have saved ${titleOf(before)} meanwhile. Choose which values to keep.`),
        table(["Property", "It was", "Stored now", "Yours"], rows, "Conflicts"),
        h("div", {class: "buttons"}, h("button", {type: "button", onclick: () => close(null)}, "Cancel"),
            h(
                "button", {type: "button", class: "primary", autofocus: true, onclick: () => close(kept)},
                "Save the chosen values",
            )),
    ], {isWide: true}).then((result) => result ?? null);
}
