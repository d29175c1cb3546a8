// SPDX-License-Identifier: Apache-2.0

// The differences between two versions of the model, if the server knows several.

import {h, show} from "../dom.js";
import {model} from "../model.js";
import {differences} from "./differences.js";

/** @returns {HTMLElement} */
export function versions() {
    const names = Object.keys(model.document.versions ?? {});
    if (names.length < 2) return singleVersion();
    const result = h("div");
    const draw = () => {
        const [old, next] = [from, to].map((select) => model.document.versions[select.value]);
        show(result, differences(old, next));
    };
    const choose = (label, selected) => h("select", {"aria-label": label, onchange: draw},
        names.map((name) => h("option", {value: name, selected: name === selected}, name)));
    const from = choose("From", names[0]);
    const to = choose("To", names.at(-1));
    draw();
    return h("div", {}, h("div", {class: "row"}, from, "→", to), result);
}

function singleVersion() {
    return h("p", {class: "quiet"}, "The server knows one version of the model. Edit it to see the differences to the ",
        "edited one, and compare files with ", h("code", {}, "outcrop model diff OLD NEW"), ".");
}
