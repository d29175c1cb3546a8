// SPDX-License-Identifier: Apache-2.0

// Elements whose content is made when they are opened.

import {h} from "../dom.js";

/**
 * @param {HTMLDetailsElement} element It has its summary only.
 * @param {() => import("../dom.js").Child} make
 */
export function opening(element, make) {
    element.addEventListener("toggle", () => {
        if (element.open && element.childElementCount === 1) element.append(h("div", {class: "opened"}, make()));
    });
    return element;
}
