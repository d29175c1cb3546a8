// SPDX-License-Identifier: Apache-2.0

// Inserts the objects of a file. A dry run says what is wrong with them before, and how many would be new.

import {dataPath, query, send} from "../api.js";
import {h, show} from "../dom.js";
import {bytes, counted} from "../format.js";
import {reportChange} from "../session.js";
import {dialog, field, problem, toast} from "../widgets.js";
import {readFile} from "./importfile.js";

/** An object that a dry run would insert has such a reference. */
const NEW = /\/t\d+$/;

/** Asks for a file with objects of an entity. @param {import("../model.js").Entity} entity */
export function askForFile(entity) {
    dialog(`Import into ${entity.name}`, (close) => new Importer(entity, close).content, {isWide: true});
}

class Importer {
    #entity;
    #close;
    #result = h("div", {"aria-live": "polite"});
    #file = h("input", {
        type: "file", accept: ".csv,.ndjson,.jsonl,.json", autofocus: true, onchange: () => this.#check(),
        // The same file can be chosen again after it was corrected.
        onclick: () => { this.#file.value = ""; },
        oncancel: () => this.#check(),
    });
    #merge = h("select", {onchange: () => this.#check()},
        h("option", {value: "error"}, "nothing is imported"),
        h("option", {value: "overwrite"}, "the stored object is changed"));
    #keepsIDs = h("input", {type: "checkbox", onchange: () => this.#check()});
    #button = h(
        "button", {type: "button", class: "primary", disabled: true, onclick: () => this.#import()}, "Import",
    );
    #turn = 0;
    /** What the dry run has found. */
    #planned = {inserted: 0, changed: 0};

    constructor(entity, close) {
        this.#entity = entity;
        this.#close = close;
    }

    get content() {
        const cancel = h("button", {type: "button", onclick: () => this.#close()}, "Cancel");
        const keeping = "posts/7 in _id stays posts/7, if that number was never given. "
            + "Otherwise objects get new numbers.";
        return [
            h("p", {class: "quiet"},
                "CSV with names in the first line, or JSON: an object in each line, or an array. ",
                "All of them are imported, or none. Related objects are named by references, such as users/7."),
            field("File", this.#file).element,
            field("If a value is taken", this.#merge, {note: this.#uniqueness}).element,
            field("Keep numbers", this.#keepsIDs, {note: keeping}).element,
            this.#result,
            h("div", {class: "buttons"}, cancel, this.#button),
        ];
    }

    /** Which values must be unique, in words. */
    get #uniqueness() {
        const sets = this.#entity.uniqueSets.map((names) => names.join(" with "));
        if (sets.length === 0) return `Objects of ${this.#entity.name} have no values that must be unique.`;
        return `No two objects have the same ${sets.join(", nor the same ")}.`;
    }

    async #check() {
        this.#button.disabled = true;
        this.#turn += 1;
        const turn = this.#turn;
        const [file] = this.#file.files;
        show(this.#result, file === undefined ? null : h("p", {class: "quiet"}, "Checking …"));
        if (file === undefined) return;
        const finding = await this.#attempt(file, true);
        if (turn !== this.#turn || finding === null) return;
        this.#planned = finding;
        const sentence = `${file.name}, ${bytes(file.size)}: ${counts(finding, "would be")}.`;
        show(this.#result, h("p", {class: "note"}, sentence));
        this.#button.disabled = false;
    }

    async #import() {
        this.#button.disabled = true;
        show(this.#result, h("p", {class: "quiet"}, "Importing …"));
        if (await this.#attempt(this.#file.files[0], false) === null) return;
        toast(`${counts(this.#planned)}.`);
        this.#close();
        reportChange();
    }

    /** Sends the objects. Null if they were refused, which is shown. */
    async #attempt(file, isDryRun) {
        let content = null;
        try {
            content = await readFile(file, this.#entity);
            return await this.#send(content, isDryRun);
        } catch (error) {
            show(this.#result, failure(error, content));
            return null;
        }
    }

    async #send({raw, type}, isDryRun) {
        const isMerging = this.#merge.value !== "error";
        const path = dataPath(`${this.#entity.path}/batch-insert`);
        const parameters = query({
            dryRun: isDryRun && "true", keepIds: this.#keepsIDs.checked && "true",
            result: isDryRun && isMerging && "ids",
        });
        const prefer = isMerging ? `merge=${this.#merge.value}` : undefined;
        const {value} = await send(path + parameters, {method: "POST", raw, type, prefer});
        const inserted = value.ids === undefined ? Number(value.count) : value.ids.filter((id) => NEW.test(id)).length;
        return {inserted, changed: Number(value.count) - inserted};
    }
}

/** How many objects are new, and how many are changed. */
function counts({inserted, changed}, verb = "") {
    const done = (count, word) => [counted(count, "object"), verb, word].filter((part) => part !== "").join(" ");
    if (changed === 0) return done(inserted, "inserted");
    return inserted === 0 ? done(changed, "changed") : `${done(inserted, "inserted")}, ${done(changed, "changed")}`;
}

/** What is wrong with a file, with the place in it. */
function failure(error, content) {
    const row = Number(error.problem?.row ?? 0);
    if (content === null || row === 0) return problem(error);
    const messages = error.errors.map((one) => one.message);
    return h("div", {class: "problem", role: "alert"},
        h("strong", {}, `${content.placeOf(row)}: ${messages[0] ?? error.message}`),
        messages.length > 1 ? h("ul", {}, messages.slice(1).map((message) => h("li", {}, message))) : null,
        error.hint === "" ? null : h("p", {}, error.hint));
}
