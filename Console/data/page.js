// SPDX-License-Identifier: Apache-2.0

// The page Data: a table for each entity.

import {h} from "../dom.js";
import {memory} from "../memory.js";
import {model} from "../model.js";
import {EntityList} from "./entitylist.js";
import {List} from "./list.js";

/** @param {import("../navigation.js").Place} place @returns {Promise<import("../navigation.js").Page>} */
export async function page(place) {
    const entity = entityAt(place);
    if (entity === undefined) return emptyPage();
    memory.set("entity", entity.name);
    const entities = new EntityList(entity);
    const list = new List(entity, place.parameters);
    return {
        title: entity.name,
        element: h("div", {class: "split"}, entities.element, list.element),
        shown() {
            entities.shown();
            list.shown();
        },
        update: (next) => entityAt(next) === entity && list.update(next.parameters),
        leave() {
            entities.leave();
            list.leave();
        },
    };
}

/** The entity of the address, or the one that was shown last. */
function entityAt(place) {
    const [name] = place.parts;
    if (name !== undefined && model.find(name) === null) {
        throw new Error(`There is no entity “${name}” that you may see.`);
    }
    return model.find(name ?? memory.get("entity", ""))
        ?? model.entities.find((entity) => !entity.isAbstract && entity.can("read"))
        ?? model.entities[0];
}

function emptyPage() {
    return {
        title: "Data",
        element: h("div", {class: "page"}, h("h1", {}, "There are no data that you may see"),
            h("p", {class: "quiet"}, "Sign in, or ask for a role that may read.")),
    };
}
