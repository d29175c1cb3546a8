// SPDX-License-Identifier: Apache-2.0

// The members of a to-many relationship or a fetched property: added, removed, and moved if they are ordered.

import {dataPath, get, query, send} from "./api.js";
import {h, show} from "./dom.js";
import {reference, titleOf} from "./format.js";
import {model} from "./model.js";
import {picker} from "./picker.js";
import {problem, toast} from "./widgets.js";

const PAGE = 20;

export function membersOf(object, relationship) {
    const destination = model.find(relationship.destination);
    const list = h("ul", {class: "members"}), more = h("div", {class: "row"}), count = h("span", {class: "badge"});
    const path = dataPath(`${object._id}/${relationship.name}`);
    const isWritable = relationship.kind === "relationship";
    let items = [], limit = PAGE, dragged = null;

    async function read() {
        try {
            const title = destination?.title;
            const answer = await get(path + query({limit, count: "true", select: title?.name ?? "_id"}));
            items = answer.items;
            show(count, String(answer.total ?? items.length));
            show(more, answer.next === null ? null : h("button", {type: "button", class: "small", onclick: () => { limit *= 5; read(); }}, "Show more"),
                isWritable && relationship.inverse && destination ? h("a", {href: `#/data/${destination.name}${allQuery(object, relationship)}`}, "As a table") : null,
                isWritable && relationship.inverse && destination && !destination.isAbstract ? h("a", {href: `#/object/${destination.path}/new${query({[relationship.inverse]: object._id})}`}, `New ${destination.name}`) : null);
            draw();
        } catch (error) { show(list, h("li", {}, problem(error))); }
    }

    function draw() {
        show(list, items.map((item, place) => {
            const line = h("li", {draggable: relationship.isOrdered ? "true" : null},
                relationship.isOrdered ? h("span", {class: "grip", "aria-hidden": "true"}, "⋮⋮") : null, reference(item),
                relationship.isOrdered ? [h("button", {type: "button", class: "small plain", "aria-label": `Move ${titleOf(item)} up`, disabled: place === 0, onclick: () => move(item, place - 1)}, "↑"),
                    h("button", {type: "button", class: "small plain", "aria-label": `Move ${titleOf(item)} down`, disabled: place === items.length - 1, onclick: () => move(item, place + 1)}, "↓")] : null,
                isWritable ? h("button", {type: "button", class: "small plain", "aria-label": `Remove ${titleOf(item)} from ${relationship.name}`, onclick: () => change(() => send(`${path}/${item._id.split("/").pop()}`, {method: "DELETE"}))}, "×") : null);
            if (relationship.isOrdered) {
                line.addEventListener("dragstart", (event) => { dragged = item; event.dataTransfer.effectAllowed = "move"; });
                line.addEventListener("dragover", (event) => { event.preventDefault(); line.classList.add("over"); });
                line.addEventListener("dragleave", () => line.classList.remove("over"));
                line.addEventListener("drop", (event) => { event.preventDefault(); line.classList.remove("over"); if (dragged !== null && dragged !== item) move(dragged, place); dragged = null; });
            }
            return line;
        }), items.length === 0 ? h("li", {class: "quiet"}, "none") : null);
    }

    async function change(request) {
        try { await request(); await read(); dispatchEvent(new Event("outcrop-changed")); }
        catch (error) { toast(error.errors?.[0]?.message ?? error.message, "bad"); }
    }

    function move(item, to) {
        return change(() => send(dataPath(object._id), {method: "PATCH", body: {[relationship.name]: {move: [{_id: item._id, to}]}}, headers: {Prefer: "return=minimal"}}));
    }

    read();
    return h("section", {class: "relation"}, h("header", {}, h("h3", {}, relationship.name), count, h("span", {class: "quiet"}, relationship.kind === "fetched" ? `fetched ${relationship.destination}` : `→ ${relationship.destination}${relationship.isOrdered ? ", ordered" : ""}`)),
        list, isWritable ? picker(relationship, (chosen) => change(() => send(path, {method: "POST", body: typeof chosen === "string" ? chosen : chosen._id, headers: {Prefer: "return=minimal"}}))) : null, more);
}

/** The condition for all members in a table of their own. */
function allQuery(object, relationship) {
    const inverse = model.find(relationship.destination)?.property(relationship.inverse);
    return inverse?.isToMany ? "" : query({[relationship.inverse]: object._id});
}
