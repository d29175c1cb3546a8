// SPDX-License-Identifier: Apache-2.0

// Changes and deletions of many objects. A dry run says how many objects they concern before they are done.

import {dataPath, send} from "../api.js";
import {debounced, h, show} from "../dom.js";
import {counted} from "../format.js";
import {model} from "../model.js";
import {reportChange} from "../session.js";
import {namedLinks} from "../titles.js";
import {dialog, problem, toast} from "../widgets.js";
import {BatchValue} from "./batchvalue.js";

const SHOWN = 12;

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
            const value = new BatchValue(property, changed, remove);
            chosen.set(property, value);
            fields.append(value.element);
            value.focus();
            changed();
        }

        function remove(property) {
            chosen.get(property).element.remove();
            chosen.delete(property);
            choose.focus();
            changed();
        }

        function changed() {
            trial.plan();
        }

        /** The body of the batch, or null while a value is missing or isn't valid. */
        function body() {
            const values = [...chosen.values()];
            const isComplete = values.map((value) => value.check()).every((isValid) => isValid);
            if (values.length === 0 || !isComplete) return null;
            return {...condition, set: Object.fromEntries(values.map((value) => [value.name, value.value]))};
        }

        return [choose, fields, trial.element("Change", "primary")];
    }) === true;
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
            show(this.#result, h("p", {class: "quiet"}, "Choose a property, and enter its value or choose nil."));
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
            if (turn !== this.#turn) return;
            const objects = [...new Set(error.errors?.map((one) => one.object).filter(Boolean) ?? [])];
            show(this.#result, problem(error), objects.length > 0 ? objectsInTheWay(objects) : null);
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

/** The objects that a batch fails for, by their names. */
function objectsInTheWay(references) {
    const links = namedLinks(references.filter((reference) => model.entityOf(reference) !== null).slice(0, SHOWN));
    return links.length === 0 ? null
        : h("p", {}, "The batch stops at ", links.flatMap((link, place) => place === 0 ? [link] : [", ", link]), ".");
}
