// SPDX-License-Identifier: Apache-2.0

// What can be done with the selected rows.

import {h, show} from "../dom.js";
import {counted, number} from "../format.js";
import {icon} from "../icons.js";

export class SelectionBar {
    element = h("div", {class: "selection-bar", role: "region", "aria-label": "Selection", hidden: true});
    #list;

    /** @param {import("./list.js").List} list */
    constructor(list) {
        this.#list = list;
    }

    show() {
        const {selection, rows, entity, conditions, grid} = this.#list;
        this.element.hidden = selection.size === 0;
        const clear = () => {
            selection.clear();
            grid.redraw();
        };
        const run = (name, condition) => async () => {
            const batches = await import("./batches.js");
            if (await batches[name](entity, condition)) clear();
        };
        const button = (name, verb, label, condition) => entity.can(verb)
            ? h("button", {
                type: "button", class: verb === "delete" ? "small danger" : "small", onclick: run(name, condition),
            }, label)
            : null;
        const buttons = (condition, suffix) => [
            button("askForUpdate", "update", `Change${suffix} …`, condition),
            button("askForDeletion", "delete", `Delete${suffix} …`, condition),
        ];
        const isPartial = rows.total !== null && selection.size < rows.total && conditions.batchCondition !== null
            && (entity.can("update") || entity.can("delete"));
        show(this.element,
            h("strong", {role: "status"}, `${counted(selection.size, "object")} selected`),
            buttons({where: "SELF IN %@", args: [selection.references]}, ""),
            isPartial
                ? [h("span", {class: "quiet"}, "or the whole list:"),
                    buttons(conditions.batchCondition, ` all ${number(rows.total)}`)]
                : null,
            h("span", {class: "spring"}),
            h(
                "button",
                {type: "button", class: "small icon-button", "aria-label": "Clear the selection", onclick: clear},
                icon("close"),
            ));
    }
}
