// SPDX-License-Identifier: Apache-2.0

// What a draft changes: a card for each new or changed object, and a list of the deleted ones.

import {h} from "../dom.js";
import {reference, shown} from "../format.js";
import {model} from "../model.js";
import {plainValue} from "../saving.js";

/**
 * @param {{inserted: object[], updated: object[], deleted: string[]}} changes
 * @param {(object: string, values: Record<string, any>) => void} change Changes an object of the draft.
 * @returns {import("../dom.js").Child} Null if there is no change.
 */
export function changeCards({inserted, updated, deleted}, change) {
    const sections = [
        inserted.length > 0 ? [h("h2", {}, "New"), inserted.map(insertedCard)] : null,
        updated.length > 0 ? [h("h2", {}, "Changed"), updated.map((one) => updatedCard(one, change))] : null,
        deleted.length > 0 ? [h("h2", {}, "Deleted"), h("ul", {}, deleted.map(deletedItem))] : null,
    ];
    return sections.every((section) => section === null) ? null : sections;
}

function deletedItem(id) {
    return h("li", {}, h("span", {class: "old"}, reference(id)));
}

function insertedCard(object) {
    const entity = model.find(object._entity);
    const hasValue = ({name}) => object[name] !== null && object[name] !== undefined;
    const properties = (entity?.properties ?? []).filter(hasValue);
    const row = (property) => h("tr", {}, nameCell(property.name), h("td", {}, added(object[property.name], property)));
    return card([reference(object), h("span", {class: "badge good"}, object._entity)], properties.map(row));
}

function updatedCard({_id, _version, conflict, properties = {}}, change) {
    const entity = model.entityOf(_id);
    const text = conflict === "deleted" ? "deleted by others" : "conflict";
    const badge = conflict ? h("span", {class: "badge bad"}, text) : null;
    const set = (name, value) => change(_id, {_version, [name]: plainValue(value)});
    const rows = Object.entries(properties)
        .map(([name, value]) => "added" in value ? membersRow(name, value) : valueRow(name, value, entity, set));
    return card([reference(_id), h("span", {class: "badge"}, entity?.name), badge], rows.flat());
}

function card(head, rows) {
    return h("div", {class: "card change-card"}, h("div", {class: "row"}, head),
        h("table", {class: "plain changes"}, h("tbody", {}, rows)));
}

function nameCell(name) {
    return h("th", {scope: "row"}, name);
}

function added(value, property) {
    return h("div", {class: "clipped"}, h("span", {class: "new"}, shown(value, property)));
}

function removed(value, property) {
    return h("div", {class: "clipped"}, h("span", {class: "old"}, shown(value, property)));
}

function membersRow(name, {added: more, removed: fewer, reordered}) {
    const members = [
        ...more.map((id) => [h("span", {class: "new"}, "+\u00a0", reference(id)), " "]),
        ...fewer.map((id) => [h("span", {class: "old"}, "−\u00a0", reference(id)), " "]),
        reordered ? h("span", {class: "quiet"}, "in another order") : null,
    ];
    return h("tr", {}, nameCell(name), h("td", {colspan: 2}, h("div", {class: "clipped"}, members)));
}

function valueRow(name, value, entity, set) {
    const property = entity?.property(name);
    const row = h("tr", {}, nameCell(name), h("td", {}, removed(value.old ?? value.base ?? null, property)),
        h("td", {}, added(value.new, property)));
    return value.conflict ? [row, conflictRow(name, value, property, set)] : [row];
}

/** What others have saved, and a choice. */
function conflictRow(name, {stored, new: own}, property, set) {
    const attributes = (value) => ({type: "button", class: "small", onclick: () => set(name, value)});
    const button = (label, value) => h("button", attributes(value), label);
    const canBeSent = property?.type !== "Binary";
    return h("tr", {class: "conflicting"}, h("th", {}, h("span", {class: "badge bad"}, "conflict")),
        h("td", {colspan: 2}, h("div", {class: "row"},
            h("span", {}, "Others have saved ", shown(stored, property), "."),
            canBeSent ? [button("Keep mine", own), button("Take theirs", stored)] : null)));
}
