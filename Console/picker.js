// SPDX-License-Identifier: Apache-2.0

// Finds objects of an entity by what names them, and creates them.

import {dataPath, get, query, send} from "./api.js";
import {h} from "./dom.js";
import {titleOf} from "./format.js";
import {model} from "./model.js";
import {keyPath, quoted} from "./predicates.js";
import {reportChange} from "./session.js";
import {suggestions} from "./suggestions.js";
import {problem, toast} from "./widgets.js";

/**
 * A field that finds an object.
 *
 * @param {string} destination The name of an entity.
 * @param {(object: Record<string, any> | null) => void} choose Gets the object, at least its reference and its name.
 * @param {{label: string, isCreating?: boolean, isClearing?: boolean, values?: Record<string, any>}} options
 *   `isCreating` offers to create an object, with `values` besides its name; `isClearing` offers nil.
 * @returns {{element: HTMLElement, input: HTMLInputElement}}
 */
export function picker(destination, choose, {label, isCreating = true, isClearing = false, values = {}}) {
    const entity = model.find(destination);
    const input = h("input", {
        type: "text", "aria-label": label, disabled: entity === null,
        placeholder: entity === null ? `${destination} can't be read` : `Find ${entity.name} …`,
    });
    const done = (object) => {
        input.value = "";
        choose(object);
    };
    const list = suggestions(input, async (typed) => {
        const text = typed.trim();
        try {
            const objects = await find(entity, text);
            const entries = objects.map((object) =>
                ({label: titleOf(object), hint: object._id, choose: () => done(object)}));
            const nil = isClearing && text === "" ? [{label: "nil", hint: "no object", choose: () => done(null)}] : [];
            return [...nil, ...entries, ...(isCreating ? creations(entity, text, objects, values, done) : [])];
        } catch (error) {
            toast(error.message, "bad");
            return [];
        }
    }, {isFirstMarked: true});
    return {element: h("div", {class: "picker"}, input, list), input};
}

/** Objects by a part of their name, or by their reference. */
async function find(entity, text) {
    if (/^[\w-]+\/[\w-]+$/.test(text) && model.entityOf(text) !== null) {
        return [await get(dataPath(text)).catch(() => null)].filter((object) => object !== null);
    }
    const {naming} = entity;
    const select = naming?.name ?? "_id";
    const where = text === "" || naming === undefined ? "" : `${keyPath(naming.name)} CONTAINS[cd] ${quoted(text)}`;
    return (await get(dataPath(entity.path) + query({limit: 12, select, sort: naming?.name, where}))).items;
}

function creations(entity, text, found, values, done) {
    const {naming} = entity;
    if (text === "" || naming === undefined || found.some((object) => titleOf(object) === text)) return [];
    return entity.concrete.filter((kind) => kind.can("create")).map((kind) => ({
        label: `Create ${kind.name} “${text}”`, hint: "new",
        choose: () => create(kind, {...values, [naming.name]: text}, done),
    }));
}

/** Creates an object at once, or asks for the values that it needs besides. */
async function create(entity, values, done) {
    const needed = entity.properties.filter((property) => !property.isOptional && property.default === undefined
        && property.isWritable && !property.isSet && property.isStored && values[property.name] === undefined);
    if (needed.some((property) => property.kind !== "relationship" || !property.isToMany || property.min > 0)) {
        const {createInDialog} = await import("./object/creating.js");
        const object = await createInDialog(entity, values);
        if (object !== null) done(object);
        return;
    }
    try {
        const {value} = await send(dataPath(entity.path), {method: "POST", body: values});
        reportChange();
        done(value);
    } catch (error) {
        toast(problem(error).textContent, "bad");
    }
}

/**
 * The editor of a to-one relationship: the object as a link, and a field that finds another.
 *
 * @param {import("./properties.js").Relationship} relationship
 * @param {any} value A reference, an included object, or null.
 * @param {() => void} changed
 * @param {import("./values.js").EditorOptions & {shown: (object: any) => import("./dom.js").Child}} options
 * @returns {import("./values.js").Editor}
 */
export function makeToOneEditor(relationship, value, changed, {shown, isCompact}) {
    const {name, destination} = relationship;
    let present = value ?? null;
    const take = (object) => {
        present = object;
        draw();
        changed();
        control.querySelector("button")?.focus();
    };
    const control = h("div", {class: "to-one"});
    const draw = () => {
        const finder = picker(destination, take, {
            label: `Find an object for ${name}`, isClearing: relationship.isOptional && present !== null,
        });
        const change = () => {
            control.replaceChildren(finder.element);
            finder.input.focus();
        };
        const clear = () => {
            take(null);
            control.querySelector("input")?.focus();
        };
        finder.input.addEventListener("keydown", (event) => {
            if (event.key !== "Escape" || present === null || event.defaultPrevented) return;
            event.stopPropagation();
            draw();
        });
        control.replaceChildren(...(present === null || isCompact ? [finder.element] : [
            h("span", {class: "chosen"}, shown(present)),
            h("button", {type: "button", class: "small", "aria-label": `Change ${name}`, onclick: change}, "Change"),
            relationship.isOptional
                ? h(
                    "button", {type: "button", class: "nil-button", "aria-label": `Set ${name} to nil`, onclick: clear},
                    "nil",
                )
                : "",
        ]));
        if (isCompact && present !== null) finder.input.placeholder = titleOf(present);
    };
    const set = (next) => {
        present = next ?? null;
        draw();
    };
    draw();
    return {element: control, control, set, value: () => present === null ? null : present._id ?? present};
}
