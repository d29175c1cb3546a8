// SPDX-License-Identifier: Apache-2.0

// A property that only the server writes: shown as it is, with how it is computed.

import {h, show as fill} from "../dom.js";
import {shown} from "../format.js";
import {ruleTexts} from "../properties.js";

/**
 * @param {import("../model.js").Attribute} property
 * @param {Record<string, any>} object
 */
export function makeReadOnly(property, object) {
    const output = h("div", {class: "value"});
    const show = (value) => { fill(output, shown(value, property)); };
    show(object[property.name]);
    return {
        property, show,
        element: h(
            "div", {class: "field read-only", title: ruleTexts(property).join(" · ")},
            h("span", {class: "label"}, property.name), output,
        ),
    };
}
