// SPDX-License-Identifier: Apache-2.0

// The object as the API shows it.

import {dataPath, get} from "../api.js";
import {h, show} from "../dom.js";
import {json} from "../format.js";
import {writeJSON} from "../json.js";
import {copyButton, problem} from "../widgets.js";

/** @param {string} reference */
export function jsonOf(reference) {
    const text = h("pre", {class: "json card"});
    const tools = h("div", {class: "row"});
    get(dataPath(reference)).then((value) => {
        show(text, json(value));
        show(tools, copyButton(writeJSON(value, "")), h("a", {href: dataPath(reference), target: "_blank", rel: "noopener"}, dataPath(reference)));
    }, (error) => show(text, problem(error)));
    return h("div", {class: "json-panel"}, tools, text);
}
