// SPDX-License-Identifier: Apache-2.0

// A property that a batch sets: its editor, and a button that takes it out again. It has no value before one was
// entered, and nil must be chosen.

import {violation} from "../checks.js";
import {h} from "../dom.js";
import {titleOf} from "../format.js";
import {icon} from "../icons.js";
import {makeToOneEditor} from "../picker.js";
import {makeEditor} from "../values.js";
import {field} from "../widgets.js";

export class BatchValue {
    /** @type {HTMLElement} */
    element;
    #property;
    #editor;
    #part;
    #isEntered = false;
    #isNil = false;
    #nil;

    /**
     * @param {import("../model.js").Attribute | import("../model.js").Relationship} property
     * @param {() => void} changed
     * @param {(property: any) => void} remove
     */
    constructor(property, changed, remove) {
        this.#property = property;
        const entered = () => {
            this.#isEntered = true;
            changed();
        };
        const {name} = property;
        this.#editor = editorFor(property, entered);
        this.#nil = h("button", {
            type: "button", class: "nil-button", "aria-pressed": "false", "aria-label": `Set ${name} to nil`,
            onclick: () => this.#toggleNil(changed),
        }, "nil");
        const close = h("button", {
            type: "button", class: "icon-button", "aria-label": `Don't set ${name}`, title: `Don't set ${name}`,
            onclick: () => remove(property),
        }, icon("close"));
        const line = h("div", {class: "with-buttons"},
            this.#editor.element, property.isOptional ? this.#nil : null, close);
        this.#part = field(name, this.#editor.control, {element: line});
        this.element = this.#part.element;
    }

    get name() {
        return this.#property.name;
    }

    get value() {
        return this.#isNil ? null : this.#editor.value();
    }

    /** Shows what is wrong with the value. Returns whether it can be set. */
    check() {
        const mistake = this.#mistake;
        this.#part.fail(this.#isEntered ? mistake ?? "" : "");
        return mistake === null;
    }

    focus() {
        const {control} = this.#editor;
        const isInput = control.matches("input, select, textarea");
        (isInput ? control : control.querySelector("input, select, textarea, button"))?.focus();
    }

    #toggleNil(changed) {
        this.#isNil = !this.#isNil;
        this.#nil.setAttribute("aria-pressed", String(this.#isNil));
        this.#editor.element.inert = this.#isNil;
        changed();
    }

    get #mistake() {
        if (this.#isNil) return null;
        const {name, isOptional} = this.#property;
        try {
            const value = this.#editor.value();
            if (value === null) return isOptional ? `${name} needs a value, or nil.` : `${name} needs a value.`;
            return this.#isEntered ? violation(this.#property, value) : "";
        } catch (error) {
            return error.message;
        }
    }
}

/** An editor that begins without a value, and that offers no nil by itself. */
function editorFor(property, changed) {
    const required = {...property, isOptional: false, default: undefined};
    if (property.kind === "relationship") return makeToOneEditor(required, null, changed, {shown: titleOf});
    const isTruth = property.type === "Bool";
    const editor = makeEditor(isTruth ? {...property, isOptional: true} : required, undefined, changed);
    // Nothing was entered yet: that isn't nil.
    if (isTruth) editor.control.options[0].textContent = "Choose …";
    else if (editor.control.placeholder === "nil") editor.control.placeholder = "";
    return editor;
}
