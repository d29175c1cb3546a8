// SPDX-License-Identifier: Apache-2.0

// The rows of a list, read in blocks as they are needed: the next block by the cursor, a far one by its offset.

import {dataPath, get, query} from "./api.js";

const BLOCK = 100;

/** A list on the server, as if it were an array. */
export class Rows {
    /**
     * @param {string} path The path below /api, such as `posts`.
     * @param {object} parameters The list's conditions, order and columns.
     * @param {() => void} changed Called when rows have come.
     */
    constructor(path, parameters, changed) {
        this.path = path;
        this.parameters = parameters;
        this.changed = changed;
        this.blocks = new Map();
        this.next = new Map();
        this.waiting = new Set();
        this.total = null;
        this.error = null;
        this.abort = new AbortController();
    }

    /** The row at a place; undefined if it isn't here yet. */
    row(place) { return this.blocks.get(Math.floor(place / BLOCK))?.[place % BLOCK]; }

    /** Replaces a row that was changed. */
    replace(place, row) {
        const block = this.blocks.get(Math.floor(place / BLOCK));
        if (block !== undefined) block[place % BLOCK] = row;
    }

    /** Reads the blocks that a range of places needs. */
    async need(first, last) {
        const reads = [];
        for (let block = Math.floor(first / BLOCK); block <= Math.floor(Math.max(first, last) / BLOCK); block += 1) {
            if (this.blocks.has(block) || this.waiting.has(block)) continue;
            if (this.total !== null && block * BLOCK >= this.total && block > 0) continue;
            reads.push(this.read(block));
        }
        await Promise.all(reads);
    }

    async read(block) {
        this.waiting.add(block);
        const cursor = this.next.get(block - 1);
        const isFirst = this.total === null;
        const target = cursor ?? dataPath(this.path) + query({...this.parameters, limit: BLOCK, offset: block * BLOCK || "", count: isFirst});
        try {
            const answer = await get(target, {signal: this.abort.signal});
            this.blocks.set(block, answer.items);
            this.next.set(block, answer.next);
            if (answer.total !== undefined) this.total = Number(answer.total);
            else if (answer.next === null) this.total = block * BLOCK + answer.items.length;
            this.error = null;
        } catch (error) {
            if (error.name === "AbortError") return;
            this.error = error;
            this.total ??= 0;
        } finally {
            this.waiting.delete(block);
        }
        this.changed();
    }

    stop() { this.abort.abort(); }
}
