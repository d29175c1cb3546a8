// SPDX-License-Identifier: Apache-2.0

// What can be done with the selected rows.

import {h, show, showAgain} from "../dom.js";
import {counted, number} from "../format.js";
import {icon} from "../icons.js";

/** The batches, each with the verb that it needs. */
const BATCHES = [["askForUpdate", "update", "Change"], ["askForDeletion", "delete", "Delete"]];

export class SelectionBar {
    #count = h("strong", {role: "status"});
    #rest = h("span", {class: "rest"});
    element = h(
        "div", {class: "selection-bar", role: "region", "aria-label": "Selection", hidden: true},
        this.#count, this.#rest,
    );
    #list;

    /** @param {import("./list.js").List} list */
    constructor(list) {
        this.#list = list;
    }

    show() {
        const {selection, rows, entity, conditions, grid} = this.#list;
        const clear = () => {
            selection.clear();
            grid.redraw();
        };
        const run = (name, condition) => async () => {
            const batches = await import("./batches.js");
            if (await batches[name](entity, condition)) clear();
        };
        const batches = BATCHES.filter(([, verb]) => entity.can(verb));
        const buttons = (condition, place, suffix) => batches.map(([name, verb, label]) => h("button", {
            type: "button", class: verb === "delete" ? "small danger" : "small", name: `${verb} ${place}`,
            onclick: run(name, condition),
        }, `${label}${suffix} …`));
        const isPartial = rows.total !== null && rows.error === null && selection.size < rows.total
            && conditions.batchCondition !== null && batches.length > 0;
        const count = selection.size === 0 ? "" : `${counted(selection.size, "object")} selected`;
        if (this.#count.textContent !== count) show(this.#count, count);
        showAgain(this.#rest, selection.size === 0 ? null : [
            buttons({where: "SELF IN %@", args: [selection.references]}, "selected", ""),
            isPartial
                ? [h("span", {class: "quiet"}, "or the whole list:"),
                    buttons(conditions.batchCondition, "listed", ` all ${number(rows.total)}`)]
                : null,
            h("span", {class: "spring"}),
            h(
                "button",
                {type: "button", class: "small icon-button", "aria-label": "Clear the selection", onclick: clear},
                icon("close"),
            ),
        ], () => grid.focusCell());
        this.element.hidden = selection.size === 0;
    }
}
