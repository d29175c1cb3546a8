// SPDX-License-Identifier: Apache-2.0

// A property that can't be edited: shown as it is, with how it is computed, or what the access rules do with it.

import {h, show as fill} from "../dom.js";
import {shown} from "../format.js";
import {ruleTexts} from "../properties.js";
import {makeBinaryEditor} from "./binary.js";

/**
 * @param {import("../model.js").Attribute | import("../model.js").Relationship} property
 * @param {Record<string, any>} object
 * @param {{isNew: boolean}} options The rules set its value in a new object, which has none yet.
 */
export function makeReadOnly(property, object, {isNew}) {
    const output = h("div", {class: "value"});
    const setByRules = h("span", {class: "quiet"}, "set by the rules");
    const bytes = property.type === "Binary" && !isNew
        ? makeBinaryEditor(property, object, () => {}, () => {}, {isReadOnly: true}) : null;
    const show = (value) => {
        bytes?.set(value);
        fill(output, isNew ? setByRules : bytes?.element ?? shown(value, property));
    };
    const rules = [...ruleTexts(property), property.isProtected && "the access rules don't let you write it"];
    show(object[property.name]);
    return {
        property, show,
        element: h(
            "div", {class: "field read-only", title: rules.filter(Boolean).join(" · ")},
            h("span", {class: "label"}, property.name), output,
        ),
    };
}
