// SPDX-License-Identifier: Apache-2.0

// The history of an object: when it was changed, by whom, and which properties. Values that this window has seen before
// a change can be put back into the form.

import {h, show} from "../dom.js";
import {ago, date, shown} from "../format.js";
import {formerValue} from "../former.js";
import {model} from "../model.js";
import {namedLinks} from "../titles.js";
import {Turns} from "../turns.js";
import {problem} from "../widgets.js";
import {Timeline} from "./timeline.js";

export class History {
    /** @type {HTMLElement} */
    element = h("div", {class: "history"}, h("p", {class: "quiet"}, "Loading …"));
    #reference;
    #entity;
    #form;
    #timeline;
    #turns = new Turns();

    /**
     * @param {Record<string, any>} object
     * @param {import("../model.js").Entity} entity
     * @param {import("./form.js").ObjectForm} form
     */
    constructor(object, entity, form) {
        this.#reference = object._id;
        this.#entity = entity;
        this.#form = form;
        this.#timeline = new Timeline(object._id, entity);
    }

    async read() {
        const isLatest = this.#turns.begin();
        try {
            const {entries, hasMore} = await this.#timeline.read();
            if (isLatest()) this.#show(entries, hasMore);
        } catch (error) {
            if (!isLatest()) return;
            show(
                this.element,
                error.status === 501 ? h("p", {class: "quiet"}, "This store keeps no history.") : problem(error),
            );
        }
    }

    leave() {
        this.#turns.begin();
        this.#timeline.end();
    }

    #show(entries, hasMore) {
        const note = "Former values are shown as far as this window has seen them: the server keeps only names.";
        const more = hasMore ? `These are the last ${entries.length} changes. ` : "";
        show(this.element, entries.length > 0
            ? [
                h("ol", {class: "timeline"}, entries.map((_, place) => this.#item(entries, place))),
                h("p", {class: "quiet small-text"}, more + note),
            ]
            : h("p", {class: "quiet"}, "The history doesn't go back to its last change."));
    }

    #item(entries, place) {
        const {time, author, context, change, properties} = entries[place];
        return h("li", {},
            h("div", {class: "when"},
                h("time", {datetime: time, title: date(time)}, ago(time)),
                h("span", {class: "quiet"}, author === null ? "without a name" : ["by ", authorName(author)]),
                context === null ? null : h("span", {class: "badge", title: "Saved from a draft"}, context)),
            h("div", {class: "change"},
                h("span", {class: `kind ${change}`}, change),
                change === "updated" && properties === null
                    ? h("span", {class: "quiet"}, "in an unknown way") : null,
                (properties ?? []).map((name) => this.#property(name, entries, place))));
    }

    /** A changed property, with the value before if this window has seen it. */
    #property(name, entries, place) {
        const versions = versionsBefore(name, entries, place);
        const former = versions === null ? null : formerValue(this.#reference, name, versions);
        if (former === null) return h("span", {class: "property"}, name);
        const enter = () => this.#form.enter(name, former.value);
        const use = h("button", {type: "button", class: "small", onclick: enter}, "Use again");
        const value = h("span", {class: "old"}, formerContent(former.value, this.#entity.property(name)));
        return h("span", {class: "property"}, name, " was ", value, this.#form.has(name) ? use : null);
    }
}

/** The versions in which a property had the value that an entry has changed; null if they aren't certain. */
function versionsBefore(name, entries, place) {
    const before = entries[place].version;
    const hasChanged = ({change, properties}) =>
        change !== "updated" || properties === null || properties.includes(name);
    const from = (entries.slice(place + 1).find(hasChanged) ?? entries.at(-1)).version;
    return before === null || from === null ? null : {from: Math.min(from, before - 1), before};
}

/** A former object is a reference, whose name is read. */
function formerContent(value, property) {
    const isReference = property?.kind === "relationship" && typeof value === "string";
    return isReference ? namedLinks([value]) : shown(value, property);
}

/** An author may be an account, whose name is read. */
function authorName(author) {
    const isAccount = author.includes("/") && model.entityOf(author) !== null;
    return h("strong", {}, isAccount ? namedLinks([author]) : author);
}
