// SPDX-License-Identifier: Apache-2.0

// A field of the form: an editor, what is wrong with its value, and what others have saved meanwhile.

import {violation} from "../checks.js";
import {h, show} from "../dom.js";
import {reference, shown} from "../format.js";
import {makeToOneEditor} from "../picker.js";
import {ruleTexts} from "../properties.js";
import {areEqual} from "../saving.js";
import {makeEditor} from "../values.js";
import {field} from "../widgets.js";
import {makeBinaryEditor} from "./binary.js";

export class FormField {
    /** @type {HTMLElement} */
    element;
    /** The stored value. */
    stored;
    #property;
    #form;
    #editor;
    #part;
    #note = h("div", {class: "stored-note", hidden: true});
    #begin;
    #isAlwaysSent;
    #refusal = "";

    /**
     * @param {import("../model.js").Attribute | import("../model.js").Relationship} property
     * @param {Record<string, any>} object
     * @param {import("./form.js").ObjectForm} form
     * @param {{isNew: boolean}} options
     */
    constructor(property, object, form, {isNew}) {
        this.#property = property;
        this.#form = form;
        this.stored = isNew ? undefined : object[property.name];
        this.#editor = this.#makeEditor(property, object, isNew);
        this.#begin = this.#entered;
        const isTruth = property.type === "Bool" && !property.isOptional && property.default === undefined;
        this.#isAlwaysSent = isNew && (object[property.name] !== undefined || isTruth);
        const isRequired = !property.isOptional && property.default === undefined && property.type !== "Bool";
        const rules = ruleTexts(property).filter((text) => isNew || !text.startsWith("default")).join(" · ");
        this.#part = field(
            property.name, this.#editor.control, {element: this.#editor.element, note: rules, isRequired},
        );
        this.element = this.#part.element;
        this.element.append(this.#note);
    }

    get name() {
        return this.#property.name;
    }

    /** What was entered. Throws if it isn't a value. */
    get value() {
        return this.#editor.value();
    }

    get isEdited() {
        return !areEntriesEqual(this.#entered, this.#begin);
    }

    /** Whether the value is sent when the form is saved. */
    get isSent() {
        return this.isEdited || this.#isAlwaysSent;
    }

    get isValid() {
        return this.#mistake === null && this.#refusal === "";
    }

    focus() {
        const {control} = this.#editor;
        const isInput = control.matches("input, select, textarea");
        (isInput ? control : control.querySelector("input, select, textarea, button"))?.focus();
    }

    /** Shows what is wrong with the value. */
    check() {
        this.#refusal = "";
        this.#part.fail(this.#mistake ?? "");
    }

    /** Shows what the server has refused. @param {string} message @param {string} [holder] Who has a unique value. */
    refuse(message, holder) {
        if (this.#mistake !== null) return;
        this.#refusal = message;
        this.#part.fail(message);
        if (message === "" || holder === undefined) return;
        this.element.querySelector(".message").append(" ", reference(holder));
    }

    /** A value was saved. What was entered since is still edited. */
    accept(value) {
        this.#begin = {value};
        if (this.stored !== undefined) this.stored = value;
        this.#note.hidden = true;
        this.#showState();
    }

    reset() {
        this.#show(this.stored);
        this.check();
    }

    enter(value) {
        this.#editor.set(value);
        this.#changed();
    }

    /** Takes the stored value. What is being edited stays, with a note about it. */
    take(stored) {
        if (this.#property.type === "Binary") {
            this.#editor.set(stored);
            return;
        }
        const isSame = areEqual(stored, this.stored);
        this.stored = stored;
        if (isSame) return;
        if (this.isEdited && !areEqual(this.#safeValue, stored)) {
            this.#noteStored(stored);
            return;
        }
        this.#show(stored);
        this.check();
    }

    /** Shows a value that isn't edited. */
    #show(value) {
        this.#editor.set(value ?? null);
        this.#begin = this.#entered;
        this.#showState();
    }

    #makeEditor(property, object, isNew) {
        const {name} = property;
        const changed = () => this.#changed();
        if (property.kind === "relationship") {
            return makeToOneEditor(property, object[name], changed, {shown: reference});
        }
        if (property.type === "Binary") {
            return makeBinaryEditor(property, isNew ? null : object, changed, () => this.#form.reload());
        }
        const begin = isNew && object[name] === undefined ? property.default : object[name];
        return makeEditor(property, coerced(property, begin), changed);
    }

    /** The value, or the text of what is wrong with it. */
    get #entered() {
        try {
            return {value: this.#editor.value()};
        } catch (error) {
            return {mistake: error.message};
        }
    }

    get #safeValue() {
        return this.#entered.value ?? null;
    }

    get #mistake() {
        const {value, mistake} = this.#entered;
        return mistake ?? violation(this.#property, value);
    }

    #changed() {
        this.check();
        this.#showState();
        this.#form.edited();
    }

    #showState() {
        const isMarked = this.stored !== undefined && this.isEdited;
        this.element.classList.toggle("changed", isMarked);
        if (!isMarked) this.#note.hidden = true;
    }

    #noteStored(stored) {
        const use = () => {
            this.#show(stored);
            this.check();
            this.#form.edited();
        };
        this.#note.hidden = false;
        show(this.#note, "Others have saved ", h("span", {class: "new"}, shown(stored, this.#property)), " ",
            h("button", {type: "button", class: "small", onclick: use}, "Use it"));
    }
}

/** A value of the address is a text. */
function coerced(property, value) {
    return property.type === "Bool" && typeof value === "string" ? value === "true" : value;
}

function areEntriesEqual(one, other) {
    return one.mistake === other.mistake && areEqual(one.value ?? null, other.value ?? null);
}
