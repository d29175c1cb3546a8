// SPDX-License-Identifier: Apache-2.0

// The rows of a list, read in blocks as they are needed: the next block by its cursor, a distant one by its offset.

import {dataPath, get, query} from "../api.js";
import {writeJSON} from "../json.js";

const BLOCK = 100;

/** How many blocks are kept. Those that were read first are dropped, and read again when they are needed. */
const KEPT = 300;

/** A list on the server, as if it were an array. */
export class Rows {
    /** How many rows there are; null until it is known. @type {number | null} */
    total = null;
    /** Why the rows can't be read. @type {Error | null} */
    error = null;
    /** The places of the rows that a refresh has changed, until they are drawn. */
    fresh = new Set();

    #path;
    #parameters;
    #changed;
    #blocks = new Map();
    #cursors = new Map();
    #reading = new Set();
    /** The blocks that can't be read; they aren't requested again before a refresh. */
    #failed = new Set();
    #outdated = new Set();
    #abort = new AbortController();

    /**
     * @param {string} path Below `/api/`, such as `posts`.
     * @param {Record<string, any>} parameters The list's conditions, order and columns.
     * @param {() => void} changed Called when rows have come, or can't be read.
     */
    constructor(path, parameters, changed) {
        this.#path = path;
        this.#parameters = parameters;
        this.#changed = changed;
    }

    /** The row at a place; undefined if it hasn't been read. */
    row(place) {
        return this.#blocks.get(Math.floor(place / BLOCK))?.[place % BLOCK];
    }

    /** The rows that have been read, and are still in the list as far as is known. */
    get all() {
        return [...this.#blocks].filter(([block]) => !this.#outdated.has(block))
            .flatMap(([block, rows]) => rows.slice(0, Math.max(0, this.total - block * BLOCK)));
    }

    /** Takes a row that was changed, if it is still at its place. */
    replace(place, row) {
        const block = this.#blocks.get(Math.floor(place / BLOCK));
        if (block?.[place % BLOCK]?._id === row._id) block[place % BLOCK] = row;
    }

    /** Reads the rows of a range of places, as far as they haven't been read. */
    need(first, last) {
        for (let block = Math.floor(first / BLOCK); block <= Math.floor(Math.max(first, last) / BLOCK); block += 1) {
            const isBeyond = this.total !== null && block > 0 && block * BLOCK >= this.total;
            const isPresent = this.#blocks.has(block) && !this.#outdated.has(block);
            const isKnown = isBeyond || isPresent || this.#failed.has(block);
            if (!isKnown && !this.#reading.has(block)) this.#read(block);
        }
    }

    /** Reads the rows again as they are needed. Until then, the present ones are shown. */
    refresh() {
        this.#abort.abort();
        this.#abort = new AbortController();
        this.#reading.clear();
        this.#failed.clear();
        this.#cursors.clear();
        if (this.error !== null) this.total = null;
        this.#outdated = new Set(this.#blocks.keys());
    }

    stop() {
        this.#abort.abort();
    }

    async #read(block) {
        const {signal} = this.#abort;
        this.#reading.add(block);
        const cursor = this.#cursors.get(block - 1);
        const wantsTotal = this.total === null || this.#outdated.has(block);
        const target = (!wantsTotal && cursor) || dataPath(this.#path) + query({
            ...this.#parameters, limit: BLOCK, offset: block * BLOCK || "", count: wantsTotal,
        });
        try {
            this.#take(block, await get(target, {signal}));
        } catch (error) {
            if (error.name === "AbortError") return;
            this.error = error;
            this.#failed.add(block);
            this.total ??= 0;
        }
        this.#reading.delete(block);
        this.#outdated.delete(block);
        this.#changed();
    }

    #take(block, {items, next, total}) {
        const former = this.#blocks.get(block);
        this.#blocks.delete(block);
        this.#blocks.set(block, former === undefined ? items : this.#merged(block, former, items));
        this.#cursors.set(block, next);
        if (this.#blocks.size > KEPT) this.#blocks.delete(this.#blocks.keys().next().value);
        this.error = null;
        if (total !== undefined) this.total = Number(total);
        else if (next === null) this.total = block * BLOCK + items.length;
    }

    /** The rows of a block that was read again: those that haven't changed stay the same objects. */
    #merged(block, former, items) {
        const byID = new Map(former.map((row) => [row?._id, row]));
        return items.map((row, place) => {
            const before = byID.get(row._id);
            if (before !== undefined && writeJSON(before) === writeJSON(row)) return before;
            this.fresh.add(block * BLOCK + place);
            return row;
        });
    }
}
