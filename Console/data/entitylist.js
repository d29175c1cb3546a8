// SPDX-License-Identifier: Apache-2.0

// The entities at the side of the page, with the number of their objects.

import {dataPath, get} from "../api.js";
import {debounced, h, show} from "../dom.js";
import {number} from "../format.js";
import {model} from "../model.js";
import {events} from "../session.js";

export class EntityList {
    element;
    #counts = new Map();
    #count = debounced(() => this.count(), 400);

    /** @param {import("../model.js").Entity} present */
    constructor(present) {
        const links = model.tree.map((entity) => {
            const count = h("span", {class: "count"});
            this.#counts.set(entity, count);
            return h("a", {
                href: `#/data/${entity.name}`, class: `depth-${Math.min(entity.depth, 3)}`,
                "aria-current": entity === present ? "page" : null,
                title: entity.isAbstract ? `${entity.name}, abstract: all objects of its subentities` : entity.name,
            }, h("span", {class: "name"}, entity.name), count);
        });
        this.element = h("nav", {class: "side", "aria-label": "Entities"}, h("h2", {}, "Entities"), links);
        events.addEventListener("changed", this.#count);
        this.count();
    }

    /** On a narrow page, the entities are in a line that scrolls. */
    shown() {
        this.element.querySelector("[aria-current]")?.scrollIntoView({block: "nearest", inline: "center"});
    }

    leave() {
        events.removeEventListener("changed", this.#count);
    }

    async count() {
        for (const [entity, element] of this.#counts) {
            if (!entity.can("read")) continue;
            const answer = await get(`${dataPath(entity.path)}?result=count`).catch(() => null);
            if (!element.isConnected && element.textContent !== "") return;
            show(element, answer === null ? "" : number(answer.count));
        }
    }
}
