// SPDX-License-Identifier: Apache-2.0

// Text of the OpenAPI document, whose code is between backticks.

import {h} from "../dom.js";

/** @param {string} text @returns {import("../dom.js").Child} */
export function marked(text) {
    return text.split("`").map((part, place) => place % 2 === 1 ? h("code", {}, part) : part);
}
