// SPDX-License-Identifier: Apache-2.0

// A live query: a list that the server changes while others save.

import {dataPath, query} from "../api.js";
import {h, show} from "../dom.js";
import {counted, isNumeric, reference, shown} from "../format.js";
import {memory} from "../memory.js";
import {model} from "../model.js";
import {predicateField} from "../predicatefield.js";
import {listen} from "../stream.js";
import {problem, table} from "../widgets.js";
import {StateBadge} from "./statebadge.js";

const COLUMNS = 7;

export class LiveQuery {
    element;
    #entity;
    #where;
    #sort;
    #limit;
    #state = new StateBadge();
    #list = h("div", {class: "live-list"});
    #told = h("span", {class: "quiet"});
    #abort = new AbortController();
    #items = [];
    #events = 0;

    /** @param {URLSearchParams} parameters */
    constructor(parameters) {
        this.#entity = model.find(parameters.get("entity") ?? memory.get("entity")) ?? model.entities[0];
        const start = () => this.start();
        this.#where = predicateField(() => this.#entity, parameters.get("where") ?? "", start);
        this.#sort = h("input", {
            "aria-label": "Sort", placeholder: "Sort: -views", $value: parameters.get("sort") ?? "", onchange: start,
        });
        this.#limit = h("input", {
            "aria-label": "Limit", type: "number", min: 1, max: 1000, $value: "20", onchange: start,
        });
        this.element = h("div", {class: "live-query"},
            h("div", {class: "row card"}, this.#chooser(),
                h("span", {class: "spring"}, this.#where.element, this.#where.failure), this.#sort, this.#limit),
            h("div", {class: "row"}, this.#state.element, this.#told), this.#list);
    }

    #chooser() {
        const choose = (event) => {
            this.#entity = model.find(event.target.value);
            this.#sort.value = "";
            this.start();
        };
        return h("select", {"aria-label": "Entity", onchange: choose},
            model.entities.map((one) => h("option", {value: one.name, selected: one === this.#entity}, one.name)));
    }

    /** Begins again, with what the fields have. */
    async start() {
        this.#abort.abort();
        this.#abort = new AbortController();
        this.#items = [];
        this.#events = 0;
        const columns = this.#entity.columns.slice(0, COLUMNS);
        try {
            await listen(this.#target(columns), this.#abort.signal, (event) => this.#receive(event, columns),
                (state) => this.#state.show(state));
        } catch (error) {
            this.#where.fail(error.code === "predicate" ? error : null);
            show(this.#list, problem(error));
        }
    }

    leave() {
        this.#abort.abort();
    }

    #target(columns) {
        const parameters = {
            where: this.#where.input.value, sort: this.#sort.value, limit: this.#limit.value,
            select: columns.map(selected).join(","),
        };
        return dataPath(`${this.#entity.path}/live`) + query(parameters);
    }

    #receive(event, columns) {
        this.#where.fail(null);
        this.#events += 1;
        const fresh = this.#take(event);
        show(this.#told, `${counted(this.#items.length, "object")}, ${counted(this.#events, "event")}`);
        show(this.#list, listTable(this.#items, columns, fresh));
    }

    /** Takes an event. Returns the references of what is new or changed. @returns {Set<string>} */
    #take({event, data}) {
        if (event === "result" || event === "reset") this.#items = data.items;
        if (event !== "change") return new Set();
        const {items, fresh} = applied(data.changes, this.#items);
        this.#items = items;
        return fresh;
    }
}

/** What is selected of a column: of a related object, what names it. */
function selected({kind, name, destination}) {
    const naming = kind === "relationship" ? model.find(destination)?.naming : undefined;
    return naming === undefined ? name : `${name}.${naming.name}`;
}

/**
 * The items after changes, as the guide says: removals by their places before, then insertions, then updates.
 *
 * @returns {{items: object[], fresh: Set<string>}}
 */
function applied(changes, before) {
    const items = before.slice();
    const removed = changes.map((change) => change.delete ?? change.move?.from).filter((place) => place !== undefined);
    for (const place of removed.map(Number).sort((one, other) => other - one)) items.splice(place, 1);
    const added = changes.map((change) => addition(change, before)).filter((one) => one !== null);
    for (const {place, object} of added.sort((one, other) => one.place - other.place)) items.splice(place, 0, object);
    const updated = changes.filter((change) => change.update !== undefined);
    for (const {update, object} of updated) items[Number(update)] = object;
    const fresh = [...added, ...updated].map(({object}) => object._id);
    return {items, fresh: new Set(fresh)};
}

/** What a change adds, and where. */
function addition(change, before) {
    if (change.insert !== undefined) return {place: Number(change.insert), object: change.object};
    if (change.move === undefined) return null;
    return {place: Number(change.move.to), object: change.object ?? before[Number(change.move.from)]};
}

function listTable(items, columns, fresh) {
    const cell = (item, column, place) => place === 0 ? reference(item) : value(item[column.name], column);
    const rows = items.map((item) => columns.map((column, place) => cell(item, column, place)));
    const numbers = new Set(columns.map((column, place) => isNumeric(column) ? place : -1));
    const element = table(columns.map(({name}) => name), rows, "Live query", {numbers});
    const lines = element.querySelectorAll("tbody tr");
    items.forEach((item, place) => lines[place].classList.toggle("fresh", fresh.has(item._id)));
    return element;
}

/** Long texts are shown in some lines. */
function value(content, column) {
    return column.type === "String" ? h("div", {class: "clipped"}, shown(content, column)) : shown(content, column);
}
