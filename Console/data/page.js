// SPDX-License-Identifier: Apache-2.0

// The page Data: the entities, and how many objects each has.

import {dataPath, get} from "../api.js";
import {h, show} from "../dom.js";
import {number} from "../format.js";
import {model} from "../model.js";
import {table} from "../widgets.js";

/** @param {import("../navigation.js").Place} place @returns {Promise<import("../navigation.js").Page>} */
export async function page() {
    const rows = model.tree.map((entity) => {
        const count = h("span", {class: "number"});
        get(`${dataPath(entity.path)}?result=count`).then((answer) => show(count, number(answer.count)), () => {});
        return [entity.name, count];
    });
    return {title: "Data", element: h("div", {class: "page"}, h("h1", {}, "Data"), table(["Entity", "Objects"], rows))};
}
