// SPDX-License-Identifier: Apache-2.0

// A field for a predicate, with completion, and with the place of a mistake.

import {h, show} from "./dom.js";
import {completions} from "./completion.js";
import {keyPath} from "./predicates.js";
import {NUMBERS} from "./properties.js";
import {suggestions} from "./suggestions.js";

/**
 * @typedef {object} PredicateField
 * @property {HTMLElement} element The input and its suggestions.
 * @property {HTMLInputElement} input
 * @property {HTMLElement} failure Where a mistake is shown; put it below the input.
 * @property {(error: import("./api.js").APIError | null, offset?: number) => void} fail Shows a mistake, or none.
 *   `offset` is how much of the sent predicate comes before the text of the field.
 */

/**
 * @param {() => import("./model.js").Entity} entity
 * @param {string} value
 * @param {(text: string) => void} submit Called with the whole text when Enter is pressed, or the field is left.
 * @returns {PredicateField}
 */
export function predicateField(entity, value, submit) {
    const input = h("input", {
        type: "text", class: "mono", spellcheck: "false", autocapitalize: "off", "aria-label": "Predicate",
        placeholder: `Predicate, such as ${example(entity())}`, $value: value,
    });
    const failure = h("div", {class: "predicate-failure", role: "status", hidden: true});
    const insert = (start, caret, text) => {
        input.focus();
        // What was typed since belongs to the same word.
        const end = Math.max(caret, input.selectionStart);
        input.setRangeText(text, start, end, "end");
        input.dispatchEvent(new Event("input"));
    };
    const list = suggestions(input, async (text, caret) => {
        const found = await completions(entity(), text.slice(0, caret));
        return found.map(({label, hint, start, insertion}) =>
            ({label, hint, choose: () => insert(start, caret, insertion)}));
    });
    input.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && !event.defaultPrevented) submit(input.value.trim());
    });
    input.addEventListener("change", () => submit(input.value.trim()));

    function fail(error, offset = 0) {
        input.setAttribute("aria-invalid", String(error !== null));
        failure.hidden = error === null;
        if (error === null) return;
        const position = error.position === null ? null : Math.max(error.position - offset, 0);
        const proposal = /“([^”]+)”\?/.exec(error.hint)?.[1];
        const [before, word, after] = split(input.value, position);
        const correct = () => {
            input.value = before + proposal + after;
            submit(input.value);
        };
        show(failure, position === null ? null : h(
            "code", {}, before, h("mark", {}, word === "" ? "\u2002" : word), after,
        ),
            h("span", {}, error.message),
            error.hint === "" || proposal !== undefined ? null : h("span", {}, error.hint),
            proposal === undefined || position === null ? null
                : h("button", {type: "button", class: "small", onclick: correct}, `Use “${proposal}”`));
    }

    return {element: h("div", {class: "predicate-field"}, input, list), input, failure, fail};
}

/** A predicate of an entity. */
function example(entity) {
    const {naming} = entity;
    const number = entity.attributes.find((attribute) => attribute.isStored && NUMBERS.has(attribute.type));
    const conditions = [
        number && `${keyPath(number.name)} > 100`, naming && `${keyPath(naming.name)} BEGINSWITH[cd] "a"`,
    ].filter(Boolean);
    return conditions.join(" AND ") || "TRUEPREDICATE";
}

/** What is before the word at a position, counted in Unicode scalars, the word, and what is after it. */
function split(text, position) {
    const scalars = [...text];
    const before = scalars.slice(0, position ?? 0).join("");
    const rest = scalars.slice(position ?? 0).join("");
    const word = /^(?:[\w#@$]+|\S?)/.exec(rest)[0];
    return [before, word, rest.slice(word.length)];
}
