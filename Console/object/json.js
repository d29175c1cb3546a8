// SPDX-License-Identifier: Apache-2.0

// The object as the API shows it.

import {dataPath, get} from "../api.js";
import {h, show} from "../dom.js";
import {json} from "../format.js";
import {writeJSON} from "../json.js";
import {Turns} from "../turns.js";
import {copyButton, problem} from "../widgets.js";

export class JSONPanel {
    /** @type {HTMLElement} */
    element;
    #reference;
    #turns = new Turns();
    #text = h("pre", {class: "json card"});
    #tools = h("div", {class: "row"});

    /** @param {string} reference */
    constructor(reference) {
        this.#reference = reference;
        this.element = h("div", {class: "json-panel"}, this.#tools, this.#text);
    }

    async read() {
        const path = dataPath(this.#reference);
        const isLatest = this.#turns.begin();
        try {
            const value = await get(path);
            if (!isLatest()) return;
            show(this.#text, json(value));
            show(this.#tools, copyButton(writeJSON(value, "")), h("code", {}, path));
        } catch (error) {
            if (isLatest()) show(this.#text, problem(error));
        }
    }
}
