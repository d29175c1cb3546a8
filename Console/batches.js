// SPDX-License-Identifier: Apache-2.0

// Changes and deletions of many objects, tried before they are made.

import {dataPath, send} from "./api.js";
import {h, show} from "./dom.js";
import {editor, violation} from "./editors.js";
import {counted} from "./format.js";
import {dialog, problem, toast, unique} from "./widgets.js";

/** Asks for values, and sets them on all objects of a condition. Returns true if they were changed. */
export function batchUpdate(entity, condition) {
    const attributes = entity.attributes.filter((attribute) => attribute.isWritable && attribute.isStored && attribute.type !== "Binary");
    return dialog(`Change ${entity.name}`, (close) => {
        const result = h("div", {"aria-live": "polite"}), fields = h("div");
        const chosen = new Map();
        const choose = h("select", {"aria-label": "Attribute to set", onchange: () => { add(choose.value); choose.value = ""; }}, h("option", {value: ""}, "Set an attribute …"), attributes.map((one) => h("option", {value: one.name}, one.name)));
        function add(name) {
            if (name === "" || chosen.has(name)) return;
            const attribute = attributes.find((one) => one.name === name), id = unique("batch");
            const part = editor(attribute, attribute.isOptional ? null : undefined, () => {}, {id});
            chosen.set(name, {attribute, part});
            fields.append(h("div", {class: "field"}, h("label", {for: id}, name), part.element));
            part.input.focus();
        }
        const body = () => {
            const set = {};
            for (const [name, {attribute, part}] of chosen) {
                set[name] = part.value();
                const wrong = violation(attribute, set[name]);
                if (wrong !== null) throw new Error(wrong);
            }
            if (chosen.size === 0) throw new Error("Choose an attribute to set.");
            return {...condition, set};
        };
        return rehearsed(entity, "batch-update", body, [choose, fields], result, "Change", close);
    });
}

/** Deletes all objects of a condition, and what their delete rules take along. Returns true if they were deleted. */
export function batchDelete(entity, condition) {
    return dialog(`Delete ${entity.name}`, (close) => rehearsed(entity, "batch-delete", () => condition, [h("p", {}, "The model's delete rules apply.")], h("div", {"aria-live": "polite"}), "Delete", close));
}

/** A dry run first, which says how many objects are concerned; the button that does it comes with its answer. */
function rehearsed(entity, route, body, content, result, verb, close) {
    const target = dataPath(`${entity.path}/${route}`);
    const act = h("button", {type: "button", class: verb === "Delete" ? "danger" : "primary", disabled: true, onclick: run}, verb);
    async function rehearse() {
        act.disabled = true;
        try {
            const answer = await send(target, {method: "POST", body: {...body(), dryRun: true}});
            show(result, h("p", {class: "note"}, `This would ${verb.toLowerCase()} ${counted(answer.value.count, "object")}.`));
            act.disabled = Number(answer.value.count) === 0;
        } catch (error) { show(result, problem(error)); }
    }
    async function run() {
        act.disabled = true;
        try {
            const answer = await send(target, {method: "POST", body: body()});
            toast(`${counted(answer.value.count, "object")} ${verb === "Delete" ? "deleted" : "changed"}.`);
            close(true);
        } catch (error) { show(result, problem(error)); }
    }
    if (verb === "Delete") rehearse();
    return [content, result, h("div", {class: "buttons"}, h("button", {type: "button", onclick: () => close(false)}, "Cancel"), verb === "Delete" ? null : h("button", {type: "button", onclick: rehearse}, "Try it"), act)];
}
