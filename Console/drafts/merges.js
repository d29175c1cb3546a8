// SPDX-License-Identifier: Apache-2.0

// What others save while a draft is open, as it appears in the draft.

import {h, show} from "../dom.js";
import {counted, reference} from "../format.js";
import {listen} from "../stream.js";
import {nameReferences} from "../titles.js";

const KEPT = 20;
const NAMED = 12;

export class Merges {
    element = h("div", {hidden: true});
    #path;
    #merged;
    #list = h("ol", {class: "feed"});
    #abort = new AbortController();
    #isStarted = false;

    /** @param {string} path The draft's path. @param {() => void} merged Called when something was merged. */
    constructor(path, merged) {
        this.#path = path;
        this.#merged = merged;
    }

    /** Begins to listen, unless that was done. */
    start() {
        if (this.#isStarted) return;
        this.#isStarted = true;
        show(this.#list, h("li", {class: "quiet"}, "Nothing yet."));
        show(this.element, h("h2", {}, "What others save meanwhile"), this.#list);
        this.element.hidden = false;
        const hide = () => {
            this.element.hidden = true;
        };
        listen(`${this.#path}/events`, this.#abort.signal, ({data}) => this.#take(data)).catch(hide);
    }

    leave() {
        this.#abort.abort();
    }

    #take(merge) {
        this.#list.querySelector("li.quiet")?.remove();
        this.#list.prepend(entry(merge));
        while (this.#list.children.length > KEPT) this.#list.lastChild.remove();
        nameReferences(this.#list);
        this.#merged();
    }
}

function entry({inserted = [], updated = [], deleted = [], incomplete}) {
    const lines = [
        ...inserted.map((one) => line("new", "good", one)), ...updated.map((one) => line("changed", "warn", one)),
        ...deleted.map((one) => line("deleted", "bad", one)),
    ];
    const rest = lines.length - NAMED;
    return h("li", {class: "fresh"}, h("div", {class: "time"}, new Date().toLocaleTimeString()), lines.slice(0, NAMED),
        rest > 0 || incomplete ? h("div", {class: "quiet"}, incomplete ? "and more" : `and ${counted(rest, "other")}`)
            : null);
}

function line(text, kind, change) {
    const {_id, properties = [], conflict = []} = typeof change === "string" ? {_id: change} : change;
    const conflicting = conflict === "deleted" ? [] : conflict;
    return h("div", {class: "feed-line"}, h("span", {class: `badge ${kind}`}, text), reference(_id),
        h("span", {class: "quiet"}, (properties ?? []).join(", ")),
        conflicting.length === 0 ? null : h("span", {class: "badge bad"}, `conflict: ${conflicting.join(", ")}`));
}
