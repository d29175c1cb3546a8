// SPDX-License-Identifier: Apache-2.0

// The rows that the person has selected, by their references.

export class Selection {
    #references = new Set();
    #anchor = null;
    #changed;

    /** @param {() => void} changed */
    constructor(changed) {
        this.#changed = changed;
    }

    get size() {
        return this.#references.size;
    }

    /** @returns {string[]} */
    get references() {
        return [...this.#references];
    }

    has(reference) {
        return this.#references.has(reference);
    }

    /** Selects a row, or doesn't any more. From there, a selection can be extended. */
    set(row, place, isSelected) {
        this.#mark(row, isSelected);
        this.#anchor = place;
        this.#changed();
    }

    /** Selects all rows from the one that was selected last. `from` is where it begins if none was. */
    extend(place, rowAt, from = place) {
        this.#anchor ??= from;
        const [first, last] = [this.#anchor, Math.max(0, place)].sort((one, other) => one - other);
        for (let one = first; one <= last; one += 1) this.#mark(rowAt(one), true);
        this.#changed();
    }

    setAll(rows, isSelected) {
        for (const row of rows) this.#mark(row, isSelected);
        this.#changed();
    }

    clear() {
        this.#references.clear();
        this.#anchor = null;
        this.#changed();
    }

    #mark(row, isSelected) {
        if (row === undefined) return;
        if (isSelected) this.#references.add(row._id);
        else this.#references.delete(row._id);
    }
}
