// SPDX-License-Identifier: Apache-2.0

// The dialog that puts columns in another order, by dragging or with keys.

import {h} from "../dom.js";
import {dialog} from "../widgets.js";
import {sortableList} from "../sortable.js";

/** @param {import("./list.js").List} list */
export function askForOrder(list) {
    const {columns} = list;
    dialog("Order of columns", () => sortableList(columns.visible, {
        label: "Columns", name: (column) => column.name, content: (column) => h("span", {class: "spring"}, column.name),
        move: (column, place) => list.changeColumns(() => columns.move(column, columns.visible[place])),
        items: () => columns.visible,
    }).element);
}
