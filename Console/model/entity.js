// SPDX-License-Identifier: Apache-2.0

// The page of an entity: its properties with their rules, and what else the model says about it.

import {h} from "../dom.js";
import {writeJSON} from "../json.js";
import {model} from "../model.js";
import {ruleTexts} from "../properties.js";
import {table} from "../widgets.js";

/**
 * @param {import("../model.js").Entity} entity
 * @param {(entity: import("../model.js").Entity) => HTMLElement} count How many objects it has.
 * @returns {import("../dom.js").Child}
 */
export function entityPage(entity, count) {
    const head = h("div", {class: "heading"}, h("a", {href: "#/model"}, "Model"), h("span", {class: "quiet"}, "/"),
        h("h1", {}, entity.name), entity.isAbstract ? h("span", {class: "badge"}, "abstract") : null,
        h("span", {class: "badge"}, count(entity), " objects"), h("span", {class: "spring"}),
        h("a", {class: "button", href: `#/data/${entity.name}`}, "Open its data"));
    return [head, h("div", {class: "columns2"}, h("div", {}, properties(entity)), h("div", {}, about(entity)))];
}

function properties(entity) {
    const {attributes, relationships, fetchedProperties} = entity;
    return [
        h("h2", {}, "Attributes"), table(["Name", "Type", "Rules"], attributes.map((one) => attributeRow(one, entity))),
        relationships.length === 0 ? null : [
            h("h2", {}, "Relationships"),
            table(["Name", "Destination", "Inverse", "On delete", "Rules"], relationships.map(relationshipRow)),
        ],
        fetchedProperties.length === 0 ? null : [
            h("h2", {}, "Fetched properties"), fetchedProperties.map(fetchedProperty),
        ],
    ];
}

function attributeRow(attribute, entity) {
    const isInherited = !entity.ownAttributes.includes(attribute);
    return [
        [attribute.name, isInherited ? h("span", {class: "quiet"}, " inherited") : null],
        h("code", {}, attribute.type + (attribute.isOptional ? "?" : "")),
        h("span", {class: "quiet"}, ruleTexts(attribute).join(" · ")),
    ];
}

function relationshipRow(relationship) {
    const {name, destination, isToMany, isOptional, inverse = "", deleteRule} = relationship;
    const rules = ruleTexts(relationship).filter((rule) => !rule.startsWith("on delete"));
    const type = isToMany ? `[${destination}]` : destination + (isOptional ? "?" : "");
    return [
        name, h("a", {href: `#/model/${destination}`}, type), inverse, deleteRule,
        h("span", {class: "quiet"}, rules.join(" · ")),
    ];
}

function fetchedProperty({name, destination, predicate}) {
    return h("p", {}, h("strong", {}, name), ` ${destination}: `, h("code", {}, predicate));
}

function about(entity) {
    const {shape, subentities} = entity;
    const queries = model.queries.filter((one) => one.entity === entity.name);
    const indexes = Object.entries(shape.indexes ?? {});
    return [
        h("h2", {}, "About it"), facts(factsOf(entity)),
        indexes.length === 0 ? null : [h("h2", {}, "Indexes"), facts(indexes.map(indexFact))],
        subentities.length === 0 ? null : [
            h("h2", {}, "Entities below it"),
            h("p", {}, subentities.map(({name}) => [h("a", {href: `#/model/${name}`}, name), " "])),
        ],
        queries.length === 0 ? null : [h("h2", {}, "Named queries"), queries.map(namedQuery)],
    ];
}

function factsOf({path, parentName, shape}) {
    const unique = (shape.unique ?? []).map((names) => [names].flat().join(" + ")).join(", ");
    const all = [
        ["Path", `/api/${path}`], ["Parent", parentName], ["Class", shape.class], ["Renamed from", shape.renamedFrom],
        ["Unique", unique],
    ];
    return all.filter(([, value]) => value);
}

function indexFact([name, value]) {
    return [name, h("code", {}, Array.isArray(value) && value.every((one) => typeof one === "string")
        ? value.join(", ") : writeJSON(value))];
}

function facts(rows) {
    const line = ([name, value]) => h("tr", {}, h("th", {scope: "row"}, name), h("td", {}, value));
    return h("table", {class: "plain"}, h("tbody", {}, rows.map(line)));
}

function namedQuery({name, predicate}) {
    const address = `#/query?named=${encodeURIComponent(name)}`;
    return h("p", {}, h("a", {href: address}, name), " ", h("code", {}, predicate));
}
