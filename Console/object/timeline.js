// SPDX-License-Identifier: Apache-2.0

// The latest transactions that have changed an object, with the versions that they have led to.

import {get, query} from "../api.js";

const PAGE = 1000;
const KEPT = 500;

/**
 * A change of the object.
 *
 * @typedef {object} Entry
 * @property {string} time
 * @property {string | null} author
 * @property {string | null} context The draft that it was saved from.
 * @property {string} change Such as `updated`.
 * @property {string[] | null} properties
 * @property {number | null} version The object's version since; null if it isn't certain.
 */

export class Timeline {
    #reference;
    #entity;
    /** @type {Entry[]} The latest ones, in their order. */
    #entries = [];
    #hasMore = false;
    #token;
    #isEnded = false;
    #reading = Promise.resolve();

    /** @param {string} reference @param {import("../model.js").Entity} entity */
    constructor(reference, entity) {
        this.#reference = reference;
        this.#entity = entity;
    }

    /** Reads what has come since. @returns {Promise<{entries: Entry[], hasMore: boolean}>} The latest first. */
    read() {
        const next = this.#reading.then(() => this.#readOn());
        this.#reading = next.catch(() => {});
        return next;
    }

    /** Reads no further. */
    end() {
        this.#isEnded = true;
    }

    async #readOn() {
        const before = await this.#version();
        await this.#readTransactions();
        const version = await this.#version();
        const entries = this.#entries.toReversed();
        // If it was saved meanwhile, it isn't known which transactions the version has.
        setVersions(entries, version === before ? version : null, this.#entity);
        return {entries, hasMore: this.#hasMore};
    }

    async #version() {
        try {
            return Number((await get(`/api/${this.#reference}?select=_id`))._version);
        } catch (error) {
            if (error.status === 404) return null;
            throw error;
        }
    }

    async #readTransactions() {
        for (let hasMore = true; hasMore && !this.#isEnded;) {
            const answer = await this.#page();
            this.#entries.push(...answer.transactions.flatMap((one) => this.#entriesOf(one)));
            this.#hasMore ||= this.#entries.length > KEPT;
            this.#entries = this.#entries.slice(-KEPT);
            this.#token = answer.token;
            hasMore = answer.more;
        }
    }

    async #page() {
        const page = () => get(`/api/${this.#reference}/history` + query({since: this.#token, limit: PAGE}));
        try {
            return await page();
        } catch (error) {
            // What the token stands for was removed.
            if (error.status !== 410 || this.#token === undefined) throw error;
            this.#token = undefined;
            this.#entries = [];
            return page();
        }
    }

    #entriesOf({time, author, context, changes}) {
        return changes.filter((one) => one._id === this.#reference)
            .map(({change, properties}) => ({time, author, context, change, properties: properties ?? null}));
    }
}

/** Counts back from the present version to the object's insertion, which has the first one. */
function setVersions(entries, latest, entity) {
    let version = latest;
    for (const entry of entries) {
        entry.version = version;
        if (entry.change !== "updated") version = null;
        else if (version !== null && isCounted(entry, entity)) version -= 1;
    }
    const first = entries.at(-1);
    if (first?.change !== "inserted" || first.version === 1) return;
    for (const entry of entries) entry.version = null;
}

/** Whether an update has changed the version: changes of derived attributes and of members haven't. */
function isCounted({properties}, entity) {
    return properties === null || properties.some((name) => {
        const property = entity.property(name);
        return property === undefined || !(property.isDerived || property.isToMany);
    });
}
