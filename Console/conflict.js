// SPDX-License-Identifier: Apache-2.0

// Shows conflicts side by side: what a value was, what others have saved, and what the person has entered.

import {h, show, uniqueID} from "./dom.js";
import {shown, titleOf} from "./format.js";
import {dialog, table} from "./widgets.js";

/**
 * @typedef {object} Choice
 * @property {string} name Such as the name of a property.
 * @property {import("./dom.js").Child} before
 * @property {import("./dom.js").Child} stored What others have saved.
 * @property {import("./dom.js").Child} own
 * @property {boolean} isOwn Which side is kept; it is set by the person.
 */

/**
 * Lets the person choose a side for each of several values.
 *
 * @param {import("./dom.js").Child} explanation
 * @param {Array<{heading: import("./dom.js").Child, choices: Choice[]}>} groups Such as one for each object.
 * @returns {Promise<boolean>} False if nothing is to be saved.
 */
export async function chooseSides(explanation, groups) {
    const choices = groups.flatMap((group) => group.choices);
    const content = h("div");
    const draw = () => show(content, groups.map(group));
    const chooseAll = (isOwn) => {
        for (const choice of choices) choice.isOwn = isOwn;
        draw();
    };
    draw();
    const isChosen = await dialog("Others have changed this, too", (close) => [
        h("p", {class: "quiet"}, explanation), content, buttons(chooseAll, close),
    ], {isWide: true});
    return isChosen === true;
}

function group({heading, choices}) {
    return [heading, table(["", "It was", "Theirs", "Mine"], choices.map(row), "Conflicts")];
}

function row(choice) {
    const group = uniqueID("choice");
    return [choice.name, clipped(choice.before), side(choice, group, false), side(choice, group, true)];
}

function side(choice, group, isOwn) {
    const choose = () => {
        choice.isOwn = isOwn;
    };
    const input = h("input", {
        type: "radio", name: group, "aria-label": `${choice.name}: ${isOwn ? "mine" : "theirs"}`,
        $checked: choice.isOwn === isOwn, onchange: choose,
    });
    return h("label", {class: "choice"}, input, clipped(isOwn ? choice.own : choice.stored));
}

function clipped(content) {
    return h("div", {class: "clipped"}, content);
}

function buttons(chooseAll, close) {
    return h("div", {class: "buttons"},
        h("button", {type: "button", onclick: () => close(false)}, "Cancel"),
        h("span", {class: "spring"}),
        h("button", {type: "button", onclick: () => chooseAll(false)}, "Keep all of theirs"),
        h("button", {type: "button", onclick: () => chooseAll(true)}, "Keep all of mine"),
        h(
            "button", {type: "button", class: "primary", autofocus: true, onclick: () => close(true)},
            "Save the chosen values",
        ));
}

/**
 * Lets the person choose between stored and own values of an object.
 *
 * @param {import("./model.js").Entity} entity
 * @param {string[]} names The properties that both sides have changed.
 * @param {{before: Record<string, any>, stored: Record<string, any>, own: Record<string, any>}} values
 * @returns {Promise<Set<string> | null>} The properties whose own values are saved; null if nothing is.
 */
export async function chooseValues(entity, names, {before, stored, own}) {
    const choices = names.map((name) => {
        const text = (values) => shown(values[name], entity.property(name));
        return {name, before: text(before), stored: text(stored), own: text(own), isOwn: true};
    });
    const explanation = `Others have saved ${titleOf(before)} meanwhile. Choose which values to keep.`;
    if (!await chooseSides(explanation, [{heading: null, choices}])) return null;
    return new Set(choices.filter((choice) => choice.isOwn).map((choice) => choice.name));
}
