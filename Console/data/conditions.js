// SPDX-License-Identifier: Apache-2.0

// What a list shows and in which order: read from the address, and written as parameters of a request.

import {query} from "../api.js";
import {allOf, condition, equality, keyPath, quoted} from "../predicates.js";

const FILTER = "filter.";

/** The conditions and the order of a list. */
export class Conditions {
    /** @param {import("../model.js").Entity} entity @param {URLSearchParams} parameters */
    constructor(entity, parameters) {
        this.entity = entity;
        this.search = parameters.get("search") ?? "";
        /** The predicate that was written. */
        this.where = parameters.get("where") ?? "";
        /** The sort keys: `-views`, `author.name`. @type {string[]} */
        this.sort = (parameters.get("sort") ?? "").split(",").filter((key) => key !== "");
        /** What was typed into the filters, by the property's name. @type {Record<string, string>} */
        this.filters = {};
        /** Values that were set by a link, such as `author=users/7`. @type {Record<string, string>} */
        this.equalities = {};
        for (const [name, value] of parameters) {
            if (name.startsWith(FILTER)) this.filters[name.slice(FILTER.length)] = value;
            else if (!["search", "where", "sort"].includes(name) && value !== "") this.equalities[name] = value;
        }
    }

    get isEmpty() {
        return this.search === "" && this.where === "" && Object.keys(this.equalities).length === 0
            && Object.values(this.filters).every((text) => text === "");
    }

    /** The address of the list. */
    get address() {
        const filters = Object.entries(this.filters).map(([name, text]) => [FILTER + name, text]);
        return `#/data/${this.entity.name}` + query({
            search: this.search, where: this.where, sort: this.sort.join(","), ...Object.fromEntries(filters),
            ...this.equalities,
        });
    }

    /** The condition that the filters make. */
    get filterPredicate() {
        const conditions = Object.entries(this.filters).map(([name, text]) => {
            const property = this.entity.property(name);
            return property === undefined ? null : condition(property, text);
        });
        return allOf(conditions);
    }

    /** The whole predicate. */
    get predicate() {
        return allOf([this.where, this.filterPredicate, this.entity.isSearchable ? null : this.#textPredicate]);
    }

    /** How much of the predicate comes before what was written. */
    get whereOffset() {
        return Math.max(this.predicate.indexOf(this.where), 0);
    }

    /** The parameters of a request for the list. */
    get parameters() {
        return {
            where: this.predicate, search: this.entity.isSearchable ? searchText(this.search) : "",
            sort: this.sort.join(","),
            ...this.equalities,
        };
    }

    /** The condition of a batch for everything that the list shows; null if it can't be one. */
    get batchCondition() {
        if (this.entity.isSearchable && this.search.trim() !== "") return null;
        const equalities = Object.entries(this.equalities).map(([path, text]) => equality(this.entity, path, text));
        const where = allOf([...equalities.map((one) => one.where), this.predicate]);
        return where === "" ? {all: true} : {where, args: equalities.flatMap((one) => one.args)};
    }

    /** Without an index of words, the search looks for a part of any text. */
    get #textPredicate() {
        const text = this.search.trim();
        if (text === "") return null;
        const texts = this.entity.attributes.filter((attribute) => attribute.type === "String" && attribute.isStored);
        const parts = texts.slice(0, 12).map(({name}) => `${keyPath(name)} CONTAINS[cd] ${quoted(text)}`);
        return parts.length === 0 ? null : `(${parts.join(" OR ")})`;
    }

    /** The direction in which the list is sorted by a key, or null. @returns {"ascending" | "descending" | null} */
    direction(key) {
        if (this.sort.includes(key)) return "ascending";
        return this.sort.includes(`-${key}`) ? "descending" : null;
    }

    /** Sorts by a key: ascending, then descending, then not at all. */
    sortBy(key, {isAdded}) {
        const next = {ascending: [`-${key}`], descending: []}[this.direction(key)] ?? [key];
        const others = isAdded ? this.sort.filter((one) => one.replace(/^-/, "") !== key) : [];
        this.sort = [...others, ...next];
    }
}

/** Finds words while they are written: the last one may continue. */
function searchText(typed) {
    const text = typed.trim();
    return /[\p{L}\p{N}]$/u.test(text) && !/["()*]|\b(AND|OR|NOT)\b/.test(text) ? `${text}*` : text;
}
