// SPDX-License-Identifier: Apache-2.0

// The filter of a column.

import {h, listenForTyping} from "../dom.js";
import {isNumeric} from "../format.js";

/**
 * @param {import("../model.js").Attribute | import("../model.js").Relationship} property
 * @param {string} text
 * @param {(text: string) => void} changed
 * @returns {HTMLInputElement | HTMLSelectElement}
 */
export function filterInput(property, text, changed) {
    const label = `Filter ${property.name}`;
    const choices = property.type === "Bool" ? ["yes", "no"] : property.choices;
    if (choices) {
        const nil = property.isOptional ? ["nil"] : [];
        const values = choices.map((choice) => [property.type === "Bool" ? choice : `=${choice}`, choice]);
        const select = h("select", {"aria-label": label, onchange: () => changed(select.value)},
            [["", ""], ...values, ...nil.map((one) => [one, one])].map(([value, name]) => h("option", {value}, name)));
        select.value = text;
        return select;
    }
    const input = h(
        "input",
        {
            type: "text", "aria-label": label, placeholder: example(property), title: help(property),
            spellcheck: "false", $value: text,
        },
    );
    listenForTyping(input, changed);
    return input;
}

function example(property) {
    if (isNumeric(property)) return "1..9, > 5";
    return property.type === "Date" ? "> 2026-01-31" : "";
}

function help(property) {
    const common = "=exactly, !=not this, nil, !nil";
    if (isNumeric(property)) return `5, > 5, 1..9, ${common}`;
    if (property.type === "Date") return `2026, 2026-01, 2026-01-31, > 2026-01-31, 2026-01..2026-03, ${common}`;
    return `Part of the text, ${common}`;
}
