// SPDX-License-Identifier: Apache-2.0

// The edits that were made in cells, so that they can be undone. A draft has an undo of its own.

import {model} from "../model.js";
import {plainValue, saveValues} from "../saving.js";
import {failureToast, toast} from "../widgets.js";
import {editsOf} from "./viewstate.js";

export class Edits {
    #edits;
    #list;

    /** @param {import("./list.js").List} list */
    constructor(list) {
        this.#list = list;
        this.#edits = editsOf(list.entity);
    }

    /** @returns {import("./viewstate.js").Edit | null} */
    get last() {
        return this.#edits.at(-1) ?? null;
    }

    /** Records that a property of a row was changed to a value. */
    add(row, name, value) {
        this.#edits.push({name, before: plainValue(row[name]), saved: {...row, [name]: value}});
        this.#list.showEdits();
    }

    async undo() {
        const edit = this.#edits.pop();
        if (edit === undefined) return;
        const {name, before, saved} = edit;
        try {
            // The version is the one before the edit, so that the stored value is compared with the saved one.
            const values = await saveValues(model.entityOf(saved._id), saved, {[name]: before});
            if (values === null) this.#edits.push(edit);
            else toast(name in values ? `The edit of ${name} was undone.` : `${name} stays as others have saved it.`);
        } catch (error) {
            // Nothing is left to undo in an object that was deleted.
            if (error.status !== 404) this.#edits.push(edit);
            failureToast(error);
        }
        this.#list.showEdits();
    }
}
