// SPDX-License-Identifier: Apache-2.0

// The history of an object: when it was changed, by whom, and which properties. Values that this window has seen before
// a change can be put back into the form.

import {get, query} from "../api.js";
import {h, show} from "../dom.js";
import {ago, date, shown} from "../format.js";
import {formerValue} from "../former.js";
import {model} from "../model.js";
import {namedLinks} from "../titles.js";
import {problem} from "../widgets.js";

const PAGE = 500;
const MOST = 5000;

export class History {
    /** @type {HTMLElement} */
    element = h("div", {class: "history"}, h("p", {class: "quiet"}, "Loading …"));
    #object;
    #entity;
    #form;

    /**
     * @param {Record<string, any>} object
     * @param {import("../model.js").Entity} entity
     * @param {import("./form.js").ObjectForm} form
     */
    constructor(object, entity, form) {
        this.#object = object;
        this.#entity = entity;
        this.#form = form;
    }

    async read() {
        try {
            const transactions = await transactionsOf(this.#object._id);
            const entries = transactions.map((one) => entry(one, this.#object, this.#entity, this.#form));
            const note = "Former values are shown as far as this window has seen them: the server keeps only names.";
            show(this.element, entries.length > 0
                ? [h("ol", {class: "timeline"}, entries), h("p", {class: "quiet small-text"}, note)]
                : h("p", {class: "quiet"}, "The history doesn't go back to its last change."));
        } catch (error) {
            show(
                this.element,
                error.status === 501 ? h("p", {class: "quiet"}, "This store keeps no history.") : problem(error),
            );
        }
    }
}

/** The transactions that have changed an object, the latest first. */
async function transactionsOf(reference) {
    const transactions = [];
    let since;
    for (let hasMore = true; hasMore && transactions.length < MOST;) {
        const answer = await get(`/api/${reference}/history` + query({since, limit: PAGE}));
        transactions.push(...answer.transactions);
        since = answer.token;
        hasMore = answer.more;
    }
    return transactions.reverse();
}

function entry({time, author, context, changes}, object, entity, form) {
    const changed = changes.filter((change) => change._id === object._id);
    return h("li", {},
        h("div", {class: "when"},
            h("time", {datetime: time, title: date(time)}, ago(time)),
            h("span", {class: "quiet"}, author === null ? "without a name" : ["by ", authorName(author)]),
            context === null ? null : h("span", {class: "badge", title: "Saved from a draft"}, context)),
        changed.map((change) => h("div", {class: "change"},
            h("span", {class: `kind ${change.change}`}, change.change),
            change.properties === null ? h("span", {class: "quiet"}, "in an unknown way") : null,
            (change.properties ?? []).map((name) => property(name, time, object, entity, form)))));
}

/** A changed property, with the value before if this window has seen it. */
function property(name, time, object, entity, form) {
    const former = formerValue(object._id, name, time);
    if (former === null) return h("span", {class: "property"}, name);
    const enter = () => form.enter(name, former.value);
    const use = h("button", {type: "button", class: "small", onclick: enter}, "Use again");
    const value = h("span", {class: "old"}, formerContent(former.value, entity.property(name)));
    return h("span", {class: "property"}, name, " was ", value, form.has(name) ? use : null);
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
