// SPDX-License-Identifier: Apache-2.0

// Creates an object once, also if the answer is lost and the person tries again.

import {dataPath, send} from "./api.js";
import {writeJSON} from "./json.js";

export class Creation {
    #text = "";
    #key = "";

    /**
     * @param {import("./model.js").Entity} entity
     * @param {Record<string, any>} values
     * @returns {Promise<Record<string, any>>} The new object: that of an earlier attempt with the same values, if any.
     */
    async run(entity, values) {
        const text = writeJSON(values);
        if (text !== this.#text) {
            this.#text = text;
            this.#key = randomKey();
        }
        const headers = {"Idempotency-Key": this.#key};
        return (await send(dataPath(entity.path), {method: "POST", body: values, headers})).value;
    }
}

function randomKey() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
