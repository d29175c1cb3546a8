// SPDX-License-Identifier: Apache-2.0

// The latest history, and what is saved from then on.

import {get, query} from "../api.js";
import {h, show} from "../dom.js";
import {counted, reference} from "../format.js";
import {listen} from "../stream.js";
import {nameReferences} from "../titles.js";
import {problem} from "../widgets.js";
import {StateBadge} from "./statebadge.js";

/** How far back the history is read, in milliseconds: the first span whole, further as far as one answer has it all. */
const SPANS = [10_000, 60_000, 600_000, 3_600_000];
const READ = 1000;
const FIRST = 100;
const KEPT = 200;
const CHANGES = 12;
const NOTHING = "Nothing was saved lately. An object's page has all of its history.";
const KINDS = {inserted: "good", deleted: "bad", updated: "warn"};

export class HistoryFeed {
    element;
    #state = new StateBadge();
    #list = h("ol", {class: "feed"});
    #nothing = h("li", {class: "quiet"}, NOTHING);
    #abort = new AbortController();

    constructor() {
        const note = h("span", {class: "quiet"}, "what was saved lately, and what is saved from now on");
        this.element = h("div", {}, h("div", {class: "row"}, this.#state.element, note), this.#list);
    }

    async start() {
        try {
            const {transactions, token} = await recentHistory();
            const entries = transactions.slice(-FIRST).map(entry).reverse();
            show(this.#list, entries.length === 0 ? this.#nothing : entries);
            nameReferences(this.#list);
            await listen(`/api/history/stream${query({since: token})}`, this.#abort.signal,
                (event) => this.#receive(event), (state) => this.#state.show(state));
        } catch (error) {
            this.#state.element.hidden = true;
            show(this.#list, h("li", {}, refusal(error)));
        }
    }

    leave() {
        this.#abort.abort();
    }

    #receive({event, data}) {
        if (event !== "transaction") return;
        this.#nothing.remove();
        const fresh = entry(data);
        fresh.classList.add("fresh");
        this.#list.prepend(fresh);
        nameReferences(fresh);
        while (this.#list.children.length > KEPT) this.#list.lastChild.remove();
    }
}

/** The latest transactions, and the token after them. An answer begins with the oldest, so it mustn't be cut. */
async function recentHistory() {
    let recent = await wholeHistory(SPANS[0]);
    for (const span of SPANS.slice(1)) {
        if (recent.transactions.length >= FIRST) break;
        const answer = await historySince(span);
        if (answer.more) break;
        recent = answer;
    }
    return recent;
}

/** The end of the history within a span, however much was saved. */
async function wholeHistory(span) {
    let answer = await historySince(span);
    let {transactions} = answer;
    while (answer.more) {
        answer = await get(`/api/history${query({since: answer.token, limit: READ})}`);
        transactions = [...transactions, ...answer.transactions].slice(-FIRST);
    }
    return {transactions, token: answer.token};
}

function historySince(span) {
    const from = new Date(Date.now() - span).toISOString();
    return get(`/api/history${query({from, limit: READ})}`);
}

function refusal(error) {
    if (error.status === 403) return "The history as a whole is for those who administer.";
    return error.status === 501 ? "The stores keep no history." : problem(error);
}

function entry({time, author, context, changes}) {
    const rest = changes.length - CHANGES;
    return h("li", {},
        h("div", {class: "row"}, h("time", {class: "time", datetime: time}, new Date(time).toLocaleString()),
            author ? h("span", {class: "badge"}, author) : null,
            context ? h("span", {class: "badge", title: "Saved from a draft"}, context) : null,
            h("span", {class: "quiet"}, counted(changes.length, "change"))),
        changes.slice(0, CHANGES).map(line),
        rest > 0 ? h("div", {class: "quiet"}, `and ${counted(rest, "other")}`) : null);
}

function line({_id, change, properties}) {
    return h("div", {class: "feed-line"}, h("span", {class: `badge ${KINDS[change]}`}, change),
        change === "deleted" ? _id : reference(_id), h("span", {class: "quiet"}, (properties ?? []).join(", ")));
}
