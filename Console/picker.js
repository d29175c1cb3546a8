// SPDX-License-Identifier: Apache-2.0

// Finds objects of an entity by their titles, and creates them.

import {dataPath, get, query, send} from "./api.js";
import {h} from "./dom.js";
import {reference, titleOf} from "./format.js";
import {model} from "./model.js";
import {condition} from "./predicate.js";
import {suggestions, toast} from "./widgets.js";

/** The objects whose titles contain a text, as far as they can be read. */
export async function found(entity, text, limit = 10) {
    const {title} = entity;
    const parameters = {limit, select: title?.name ?? "_id", sort: title?.name};
    if (text !== "" && title !== undefined) parameters.where = condition(title, text.replace(/^[<>=!]+/, ""));
    return (await get(dataPath(entity.path) + query(parameters))).items;
}

/**
 * A field that finds an object, or creates one.
 *
 * @param {object} relationship
 * @param {(object: object) => void} choose
 */
export function picker(relationship, choose, label = `Add to ${relationship.name}`) {
    const entity = model.find(relationship.destination);
    const input = h("input", {type: "text", placeholder: entity === null ? "nothing that you may see" : `Find ${entity.name} …`, "aria-label": label, disabled: entity === null});
    const done = (object) => { input.value = ""; choose(object); };
    const list = suggestions(input, async (text) => {
        if (entity === null) return [];
        try {
            const objects = await found(entity, text.trim());
            const items = objects.map((object) => ({label: titleOf(object), hint: object._id, choose: () => done(object)}));
            const direct = /^[\w-]+\/[\w-]+$/.test(text.trim()) && model.entityOf(text.trim()) !== null ? [{label: text.trim(), hint: "reference", choose: () => done(text.trim())}] : [];
            const title = entity.title;
            const isNew = text.trim() !== "" && title?.isWritable && !objects.some((object) => titleOf(object) === text.trim());
            const creations = isNew ? entity.kinds.map((kind) => ({label: `Create ${kind.name} “${text.trim()}”`, choose: () => create(kind, {[title.name]: text.trim()}, done)})) : [];
            return [...direct, ...items, ...creations];
        } catch (error) { toast(error.message, "bad"); return []; }
    });
    return h("div", {class: "picker"}, input, list);
}

async function create(entity, values, done) {
    try {
        const answer = await send(dataPath(entity.path), {method: "POST", body: values});
        dispatchEvent(new Event("outcrop-changed"));
        done(answer.value);
    } catch (error) {
        toast(`${error.errors?.map((one) => one.message).join(" ") || error.message} Create it on its own page.`, "bad");
    }
}

/** The editor of a to-one relationship: the object as a link, and a field to choose another. */
export function toOneEditor(relationship, value, changed) {
    let present = value ?? null;
    const element = h("div", {class: "toone"});
    const draw = () => {
        element.replaceChildren(present === null ? picker(relationship, (object) => { present = object; draw(); changed(); }, `Choose ${relationship.name}`)
            : h("div", {class: "withnil"}, h("span", {class: "readonly"}, reference(present)),
                h("button", {type: "button", class: "small plain", "aria-label": `Choose another ${relationship.name}`, onclick: () => { present = null; draw(); changed(); element.querySelector("input")?.focus(); }}, "change")));
    };
    draw();
    return {element, input: element, set: (next) => { present = next ?? null; draw(); }, value: () => present === null ? null : typeof present === "string" ? present : present._id};
}
