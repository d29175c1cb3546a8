// SPDX-License-Identifier: Apache-2.0

// The form of an object: a field for each attribute and each to-one relationship, checked while it is filled in.

import {APIError} from "../api.js";
import {h, show, uniqueID} from "../dom.js";
import {problem} from "../widgets.js";
import {FormField} from "./formfield.js";
import {makeReadOnly} from "./readonly.js";
import {Trial} from "./trial.js";

export class ObjectForm {
    /** @type {HTMLFormElement} */
    element;
    /** Called when something was edited. @type {() => void} */
    changed = () => {};
    /** Calls for the stored object again. @type {() => void} */
    reload;

    #entity;
    #object;
    #isNew;
    /** @type {FormField[]} */
    #fields;
    #readOnly;
    #problems = h("div", {class: "problems"});
    #trial;
    #submit;
    /** @type {Promise<void> | null} */
    #submitting = null;
    #keys = (event) => this.#press(event);

    /**
     * @param {import("../model.js").Entity} entity
     * @param {Record<string, any>} object Its values; those that a new object begins with.
     * @param {{isNew: boolean, submit: () => Promise<void>, reload?: () => void}} options
     */
    constructor(entity, object, {isNew, submit, reload = () => {}}) {
        this.#entity = entity;
        this.#object = object;
        this.#isNew = isNew;
        this.#submit = submit;
        this.reload = reload;
        this.#trial = new Trial(entity, isNew ? null : object, this);
        const {naming} = entity;
        const attributes = [
            ...(naming === undefined ? [] : [naming]), ...entity.attributes.filter((one) => one !== naming),
        ];
        const properties = [...attributes, ...entity.toOnes];
        const isShown = (property) => isNew ? property.isWritable && property.isStored : property.name in object;
        const mayWrite = entity.can(isNew ? "create" : "update");
        const isSet = (property) => isNew && property.isSet === true;
        const isEditable = (property) => isShown(property) && property.isWritable && mayWrite && !isSet(property);
        this.#fields = properties.filter(isEditable).map((property) => new FormField(property, object, this, {isNew}));
        const isComputed = (property) => isSet(property) || (!isNew && isShown(property) && !isEditable(property));
        this.#readOnly = properties.filter(isComputed).map((property) => makeReadOnly(property, object, {isNew}));
        const send = (event) => {
            event.preventDefault();
            this.submit();
        };
        const id = uniqueID("object");
        this.element = h("form", {id, class: "object-form", novalidate: true, autocomplete: "off", onsubmit: send},
            this.#problems, this.#fields.map((field) => field.element),
            this.#readOnly.length > 0 ? this.#computed(mayWrite) : null);
        addEventListener("keydown", this.#keys);
    }

    #computed(hasFields) {
        const isComputed = this.#readOnly.every(({property}) => property.isDerived);
        const heading = hasFields && !this.#isNew ? h("h2", {}, isComputed ? "Computed" : "Not changed here") : null;
        const elements = this.#readOnly.map(({element}) => element);
        return h("section", {class: hasFields ? "computed" : null}, heading, elements);
    }

    leave() {
        removeEventListener("keydown", this.#keys);
        this.#trial.stop();
    }

    get isEdited() {
        return this.#fields.some((field) => field.isEdited);
    }

    /** The values to be saved by property; null if one of them isn't valid. */
    get changedValues() {
        const fields = this.#fields.filter((field) => field.isSent);
        return fields.every((field) => field.isValid)
            ? Object.fromEntries(fields.map((field) => [field.name, field.value])) : null;
    }

    /** Saves what was entered. Who asks for it meanwhile waits for the same. */
    submit() {
        this.#submitting ??= this.#submit().finally(() => { this.#submitting = null; });
        return this.#submitting;
    }

    /** A field was edited: checks it, and asks the server what it would say. */
    edited() {
        this.changed();
        this.#trial.plan();
    }

    /** The values to be saved, if all of them are valid; else null, and the first mistake gets the focus. */
    async validValues() {
        this.#trial.stop();
        const fields = this.#isNew ? this.#fields : this.#fields.filter((field) => field.isEdited);
        for (const field of fields) field.check();
        const wrong = fields.find((field) => !field.isValid);
        if (wrong !== undefined) {
            wrong.focus();
            return null;
        }
        const values = this.changedValues;
        return this.#isNew || Object.keys(values).length > 0 ? values : null;
    }

    /** Values were saved, and are the object's now. @param {Record<string, any>} values */
    accept(values) {
        for (const field of this.#fields) if (field.name in values) field.accept(values[field.name]);
        this.fail(null);
        this.changed();
    }

    /** Discards what was edited. */
    reset() {
        for (const field of this.#fields) field.reset();
        this.fail(null);
        this.changed();
    }

    /** Takes the stored object. Edited fields stay, and say what is stored. @param {Record<string, any>} object */
    take(object) {
        this.#object = object;
        for (const field of this.#fields) field.take(object[field.name]);
        for (const {property, show} of this.#readOnly) show(object[property.name]);
        this.#trial.object = object;
        this.changed();
    }

    /** Puts a value into a field, as if it had been entered. */
    enter(name, value) {
        const field = this.#fields.find((one) => one.name === name);
        if (field === undefined) return;
        field.enter(value);
        field.focus();
    }

    /** Whether a property has a field. */
    has(name) {
        return this.#fields.some((one) => one.name === name);
    }

    /** Shows what the server has refused beside the fields, and the rest above them. @param {Error | null} error */
    fail(error) {
        for (const field of this.#fields) {
            const messages = error instanceof APIError ? error.messages(field.name) : [];
            field.refuse(messages.join(" "), holderOf(error, field.name));
        }
        const isPlaced = error instanceof APIError && error.errors.length > 0
            && error.errors.every((one) =>
                this.#fields.some((field) => error.messages(field.name).includes(one.message)));
        show(this.#problems, error === null || isPlaced ? null : problem(error));
        if (error === null || this.#trial.isReporting) return;
        const first = this.#fields.find((field) => !field.isValid);
        if (first === undefined) this.#problems.scrollIntoView({block: "nearest"});
        else first.focus();
    }

    #press(event) {
        const isSave = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s";
        if (!isSave || document.querySelector("dialog[open]") !== null) return;
        event.preventDefault();
        if (!event.repeat && (this.#isNew || this.isEdited)) this.submit();
    }
}

/** The object that has a unique value already. */
function holderOf(error, name) {
    return error instanceof APIError ? error.errors.find((one) => one.property === name)?.holder : undefined;
}
