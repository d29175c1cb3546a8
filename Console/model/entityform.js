// SPDX-License-Identifier: Apache-2.0

// The form of an entity in the model editor: its parent, its uniqueness and its properties.

import {h} from "../dom.js";
import {
    ATTRIBUTE_HEADS, attributeRow, attributeTypes, RELATIONSHIP_HEADS, relationshipRow,
} from "./propertyrows.js";
import {renameProperty, servedName} from "./renaming.js";
import {
    compactAttribute, compactRelationship, expandedAttribute, expandedMembers, expandedRelationship,
} from "./shapes.js";

const KINDS = {
    attributes: {
        title: "Attributes", one: "attribute", heads: ATTRIBUTE_HEADS, row: attributeRow, begin: () => "String?",
        expand: expandedAttribute, compact: compactAttribute, choices: attributeTypes,
    },
    relationships: {
        title: "Relationships", one: "relationship", heads: RELATIONSHIP_HEADS, row: relationshipRow,
        begin: (entity) => `${entity}?`, expand: expandedRelationship, compact: compactRelationship,
        choices: (version) => Object.keys(version.entities),
    },
};

/**
 * @typedef {object} EntityContext
 * @property {Record<string, any>} version The edited version of the model.
 * @property {Record<string, any>} served The entity in the served model; empty if it is new.
 * @property {string} name The entity's name.
 * @property {(focused?: string) => void} redraw Draws the form again; `focused` is the field that gets the focus.
 */

/** @param {EntityContext} context @returns {import("../dom.js").Child} */
export function entityForm(context) {
    return [facts(context), section("attributes", context), section("relationships", context)];
}

function facts({version, name}) {
    const entity = version.entities[name];
    const others = ["", ...Object.keys(version.entities).filter((other) => other !== name)];
    const options = others.map((one) => h("option", {value: one, selected: (entity.parent ?? "") === one}, one));
    const change = (key) => (event) => put(entity, key, event.target.value);
    return h("div", {class: "entity-facts"},
        h("label", {}, "Parent", h("select", {onchange: change("parent")}, options)),
        h("label", {}, h("input", {
            type: "checkbox", $checked: entity.abstract === true,
            onchange: (event) => put(entity, "abstract", event.target.checked),
        }), "abstract"),
        h("label", {class: "unique"}, "Unique", h("input", {
            $value: uniqueText(entity.unique), placeholder: "slug, name+tenant",
            oninput: (event) => put(entity, "unique", uniqueSets(event.target.value)),
        })));
}

/** Sets a member, or removes it if it says nothing. */
function put(entity, key, value) {
    const isEmpty = value === "" || value === false || value.length === 0;
    if (isEmpty) delete entity[key];
    else entity[key] = value;
}

function uniqueText(unique = []) {
    return unique.map((one) => [one].flat().join("+")).join(", ");
}

function uniqueSets(text) {
    const sets = text.split(",").map((one) => one.trim()).filter((one) => one !== "");
    return sets.map((one) => one.includes("+") ? one.split("+").map((part) => part.trim()) : one);
}

function section(kind, context) {
    const {title, one, heads} = KINDS[kind];
    const members = context.version.entities[context.name][kind] ?? {};
    const rows = Object.keys(members).map((name, place) => row(kind, name, place, context));
    const button = h("button", {type: "button", class: "small", onclick: () => add(kind, context)}, `Add an ${one}`);
    if (kind === "relationships") button.textContent = `Add a ${one}`;
    const head = h("thead", {}, h("tr", {}, heads.map((text) => h("th", {scope: "col"}, text))));
    return h("section", {class: kind}, h("h2", {}, title),
        rows.length === 0 ? null : h("div", {class: "scroll"},
            h("table", {class: "plain properties", "aria-label": title}, head, h("tbody", {}, rows))),
        button);
}

function row(kind, name, place, context) {
    const {choices, expand} = KINDS[kind];
    const members = context.version.entities[context.name][kind];
    const served = expandedMembers(context.served[kind], expand);
    const former = servedName(name, members, served);
    const remove = () => {
        delete members[name];
        context.redraw();
    };
    return KINDS[kind].row(members, name, {
        choices: choices(context.version), key: `${kind}.${place}`, formerName: former === name ? undefined : former,
        rename: (next) => rename(kind, name, next, served, context), remove, redraw: context.redraw,
    });
}

function rename(kind, name, next, served, context) {
    const {version, name: entity, redraw} = context;
    const isFree = next !== "" && !Object.keys(KINDS).some((one) => next in (version.entities[entity][one] ?? {}));
    const {expand, compact} = KINDS[kind];
    if (next !== name && isFree) renameProperty(version, entity, kind, name, next, {expand, compact, served});
    redraw();
}

function add(kind, {version, name, redraw}) {
    const members = version.entities[name][kind] ??= {};
    const place = Object.keys(members).length;
    members[freeName(members, KINDS[kind].one)] = KINDS[kind].begin(name);
    redraw(`${kind}.${place}.Name`);
}

function freeName(members, word) {
    let number = 1;
    while (`${word}${number}` in members) number += 1;
    return `${word}${number}`;
}
