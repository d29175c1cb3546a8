// SPDX-License-Identifier: Apache-2.0

// Asks the server what it would say to the values of a form, while they are entered: a dry run finds taken unique
// values, and what else only the server knows.

import {APIError, dataPath, send} from "../api.js";
import {debounced} from "../dom.js";
import {session} from "../session.js";

export class Trial {
    /** The object as it is stored; null for a new one. */
    object;
    /** Whether a result is being shown, which must not move the focus. */
    isReporting = false;
    #entity;
    #form;
    #abort = new AbortController();
    #isPlanned = false;

    /**
     * @param {import("../model.js").Entity} entity
     * @param {Record<string, any> | null} object
     * @param {import("./form.js").ObjectForm} form
     */
    constructor(entity, object, form) {
        this.#entity = entity;
        this.object = object;
        this.#form = form;
    }

    /** Asks once the person has paused. */
    plan() {
        this.stop();
        this.#isPlanned = true;
        this.#ask();
    }

    /** Doesn't ask any more, and takes no answer. */
    stop() {
        this.#isPlanned = false;
        this.#abort.abort();
    }

    #ask = debounced(async () => {
        // A draft may be invalid until it is saved.
        if (!this.#isPlanned || session.draft !== null) return;
        const values = this.#form.changedValues;
        if (values === null || Object.keys(values).length === 0) return;
        this.#abort = new AbortController();
        const [path, method] = this.object === null ? [this.#entity.path, "POST"] : [this.object._id, "PATCH"];
        try {
            await send(
                `${dataPath(path)}?dryRun=true`,
                {method, body: values, prefer: "return=minimal", signal: this.#abort.signal},
            );
            this.#report(null);
        } catch (error) {
            if (error instanceof APIError && error.errors.length > 0) this.#report(error);
        }
    }, 500);

    #report(error) {
        // What a new object doesn't have yet is no mistake while it is filled in.
        const errors = error === null
            ? [] : error.errors.filter((one) => this.object !== null || one.code !== "required");
        this.isReporting = true;
        this.#form.fail(errors.length === 0 ? null : new APIError(error.status, {...error.problem, errors}));
        this.isReporting = false;
    }
}
