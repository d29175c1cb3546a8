// SPDX-License-Identifier: Apache-2.0

// The line below a list: how many objects it has, its conditions, and edits that can be undone.

import {h, show, showAgain} from "../dom.js";
import {equalityBadge} from "../equalitybadge.js";
import {counted} from "../format.js";
import {icon} from "../icons.js";
import {session} from "../session.js";

export class Footer {
    element = h("div", {class: "footer"});
    #count = h("span", {role: "status"}, "Loading …");
    #rest = h("span", {class: "rest"});
    #list;

    /** @param {import("./list.js").List} list */
    constructor(list) {
        this.#list = list;
        show(this.element, this.#count, this.#rest);
    }

    show() {
        const {conditions, rows, edits, grid} = this.#list;
        const count = rows.error === null ? counted(rows.total ?? 0, "object") : "";
        if (this.#count.textContent !== count) show(this.#count, count);
        const predicate = conditions.predicate;
        showAgain(this.#rest, [
            Object.entries(conditions.equalities).map(([name, value]) =>
                equalityBadge(name, value, () => this.#remove(name))),
            predicate === "" ? null : h("code", {class: "where", title: predicate}, predicate),
            conditions.isEmpty
                ? null
                : h(
                    "button", {type: "button", class: "small plain", onclick: () => this.#list.clearConditions()},
                    "Clear",
                ),
            h("span", {class: "spring"}),
            edits.last === null || session.draft !== null ? null
                : h(
                    "button", {type: "button", class: "small plain", data: {key: "undo"}, onclick: () => edits.undo()},
                    icon("undo"), `Undo ${edits.last.name}`,
                ),
        ], () => grid.focusCell());
    }

    #remove(name) {
        this.#list.change((conditions) => { delete conditions.equalities[name]; });
    }
}
