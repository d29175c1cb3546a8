// SPDX-License-Identifier: Apache-2.0

// The edits that were made in cells, so that they can be undone. A draft has an undo of its own.

import {get, dataPath, query} from "../api.js";
import {model} from "../model.js";
import {plainValue, saveValues} from "../saving.js";
import {toast} from "../widgets.js";
import {editsOf} from "./viewstate.js";

export class Edits {
    #edits;
    #list;

    /** @param {import("./list.js").List} list */
    constructor(list) {
        this.#list = list;
        this.#edits = editsOf(list.entity);
    }

    /** @returns {{reference: string, name: string, value: any} | null} */
    get last() {
        return this.#edits.at(-1) ?? null;
    }

    /** Records that a property of a row was changed. */
    add(row, name) {
        this.#edits.push({reference: row._id, name, value: plainValue(row[name])});
        this.#list.showEdits();
    }

    async undo() {
        const edit = this.#edits.pop();
        if (edit === undefined) return;
        const {reference, name, value} = edit;
        try {
            const object = await get(dataPath(reference) + query({select: name}));
            await saveValues(model.entityOf(reference), object, {[name]: value});
            toast(`${name} is what it was.`);
        } catch (error) {
            toast(error.message, "bad");
        }
        this.#list.showEdits();
    }
}
