// SPDX-License-Identifier: Apache-2.0

// Changes and deletions of many objects. A dry run says how many objects they concern before they are done.

import {dataPath, send} from "../api.js";
import {violation} from "../checks.js";
import {debounced, h, show} from "../dom.js";
import {counted, titleOf} from "../format.js";
import {makeToOneEditor} from "../picker.js";
import {reportChange} from "../session.js";
import {makeEditor} from "../values.js";
import {dialog, field, problem, toast} from "../widgets.js";

/**
 * Asks for values, and sets them in all objects of a condition.
 *
 * @param {import("../model.js").Entity} entity
 * @param {Record<string, any>} condition `{where, args}` or `{all: true}`.
 * @returns {Promise<boolean>} Whether they were changed.
 */
export async function askForUpdate(entity, condition) {
    const properties = [...entity.attributes, ...entity.toOnes]
        .filter((property) => property.isWritable && property.isStored && property.type !== "Binary");
    return await dialog(`Change ${entity.name}`, (close) => {
        const chosen = new Map();
        const fields = h("div", {class: "fields"});
        const choose = h("select", {"aria-label": "Property to set", autofocus: true, onchange: add},
            h("option", {value: ""}, "Set a property …"),
            properties.map(({name}) => h("option", {value: name}, name)));
        const trial = new Trial(entity, "batch-update", body, close);

        function add() {
            const property = properties.find(({name}) => name === choose.value);
            choose.value = "";
            if (property === undefined || chosen.has(property)) return;
            const editor = property.kind === "relationship"
                ? makeToOneEditor(property, null, changed, {shown: titleOf})
                : makeEditor(property, property.isOptional ? null : undefined, changed);
            const isRequired = !property.isOptional && property.type !== "Bool";
            const part = field(property.name, editor.control, {element: editor.element, isRequired});
            chosen.set(property, {editor, part});
            fields.append(part.element);
            editor.control.focus();
            changed();
        }

        function changed() {
            trial.plan();
        }

        /** The body of the batch, or null while a value isn't valid. */
        function body() {
            const set = {};
            let isValid = chosen.size > 0;
            for (const [property, {editor, part}] of chosen) {
                const wrong = mistake(property, editor);
                part.fail(wrong ?? "");
                if (wrong === null) set[property.name] = editor.value();
                else isValid = false;
            }
            return isValid ? {...condition, set} : null;
        }

        return [choose, fields, trial.element("Change", "primary")];
    }) === true;
}

function mistake(property, editor) {
    try {
        return violation(property, editor.value());
    } catch (error) {
        return error.message;
    }
}

/**
 * Deletes all objects of a condition, after asking.
 *
 * @param {import("../model.js").Entity} entity
 * @param {Record<string, any>} condition `{where, args}` or `{all: true}`.
 * @returns {Promise<boolean>} Whether they were deleted.
 */
export async function askForDeletion(entity, condition) {
    return await dialog(`Delete ${entity.name}`, (close) => {
        const trial = new Trial(entity, "batch-delete", () => condition, close);
        const element = trial.element("Delete", "danger");
        trial.plan();
        const note = "The model's delete rules apply: what they take along is counted, what they deny is an error.";
        return [h("p", {}, note), element];
    }) === true;
}

/** A batch with its dry run, which is done again whenever the batch changes. */
class Trial {
    #path;
    #body;
    #close;
    #result = h("div", {class: "trial", "aria-live": "polite"});
    #button;
    #turn = 0;

    constructor(entity, route, body, close) {
        this.#path = dataPath(`${entity.path}/${route}`);
        this.#body = body;
        this.#close = close;
    }

    /** The result of the dry run, and the button that does the batch. */
    element(verb, kind) {
        this.#button = h("button", {type: "button", class: kind, disabled: true, onclick: () => this.#run()}, verb);
        const cancel = h("button", {type: "button", onclick: () => this.#close(false)}, "Cancel");
        return [this.#result, h("div", {class: "buttons"}, cancel, this.#button)];
    }

    /** Does the dry run soon. */
    plan() {
        this.#button.disabled = true;
        this.#turn += 1;
        this.#try(this.#turn);
    }

    #try = debounced(async (turn) => {
        const body = this.#body();
        if (body === null) {
            show(this.#result);
            return;
        }
        try {
            const {value} = await send(this.#path, {method: "POST", body: {...body, dryRun: true}});
            if (turn !== this.#turn) return;
            const verb = this.#button.textContent.replace(/ .*/, "");
            this.#button.disabled = Number(value.count) === 0;
            show(
                this.#result,
                h(
                    "p", {class: "note"},
                    `Dry run: this would ${verb.toLowerCase()} ${counted(value.count, "object")}. Nothing has changed.`,
                ),
            );
            show(this.#button, `${verb} ${counted(value.count, "object")}`);
        } catch (error) {
            if (turn === this.#turn) show(this.#result, problem(error));
        }
    }, 250);

    async #run() {
        this.#button.disabled = true;
        try {
            const {value} = await send(this.#path, {method: "POST", body: this.#body()});
            const done = this.#button.textContent.startsWith("Delete") ? "Deleted" : "Changed";
            toast(`${done} ${counted(value.count, "object")}.`);
            reportChange();
            this.#close(true);
        } catch (error) {
            show(this.#result, problem(error));
        }
    }
}
