// SPDX-License-Identifier: Apache-2.0

// A condition that a link has set, such as author = users/7, with a button that removes it.

import {h} from "./dom.js";
import {icon} from "./icons.js";

/** @param {string} name @param {string} value @param {() => void} remove */
export function equalityBadge(name, value, remove) {
    return h("span", {class: "badge"}, `${name} = ${value}`,
        h(
            "button",
            {
                type: "button", class: "icon-button tiny", "aria-label": `Remove the condition on ${name}`,
                onclick: remove,
            },
            icon("close"),
        ));
}
