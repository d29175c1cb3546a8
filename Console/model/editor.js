// SPDX-License-Identifier: Apache-2.0

// The editor of the model: entities, attributes and relationships in forms, or the document as JSON. What a change
// would do to the stores is found out before it is made.

import {send} from "../api.js";
import {h, show} from "../dom.js";
import {readJSON, writeJSON} from "../json.js";
import {menu} from "../menu.js";
import {currentVersion, model} from "../model.js";
import {confirm, dialog, download, problem, toast} from "../widgets.js";
import {differences} from "./differences.js";
import {entityForm} from "./entityform.js";
import {rehearsalReport} from "./rehearsal.js";
import {removeEntity, renameEntity} from "./renaming.js";

export class ModelEditor {
    element;
    #edited = copied(model.document);
    #selected;
    /** The document as text, while it is edited as such. @type {HTMLTextAreaElement | null} */
    #text = null;
    #note = h("div");
    #tools = h("div", {class: "row"});
    #result = h("div", {"aria-live": "polite"});
    #content = h("div");
    #canChange = true;
    /** The document that was tried last. */
    #rehearsed = null;

    constructor() {
        this.#selected = Object.keys(this.#version.entities ?? {})[0] ?? null;
        this.element = h("div", {class: "model-editor"}, this.#note, this.#tools, this.#result, this.#content);
        this.#draw();
        this.#askWhetherItCanChange();
    }

    /** Whether something would be lost by leaving. */
    get isEdited() {
        try {
            return writeJSON(this.#present) !== writeJSON(model.document);
        } catch {
            return true;
        }
    }

    /** The document with what is in the text. Throws if that isn't JSON. */
    get #present() {
        return this.#text === null ? this.#edited : readJSON(this.#text.value);
    }

    /** Takes what is in the text, and says what is wrong with it. */
    #take() {
        try {
            this.#edited = this.#present;
            return true;
        } catch (error) {
            show(this.#result, problem(error));
            return false;
        }
    }

    get #version() {
        return currentVersion(this.#edited);
    }

    get #served() {
        return currentVersion(model.document);
    }

    /** Finds out whether the server takes a model, by a dry run of its own. */
    async #askWhetherItCanChange() {
        try {
            await send("/api/model?dryRun=true", {method: "POST", body: model.document});
        } catch (error) {
            this.#canChange = false;
            show(this.#note, h("div", {class: "note"}, h("strong", {}, "The model can't be changed here. "),
                h("span", {}, `${error.message} ${error.hint ?? ""}`),
                h("p", {}, "You can edit it, see the differences, and download it.")));
            this.#drawTools();
        }
    }

    #draw() {
        this.#drawTools();
        if (this.#text !== null) this.#drawText();
        else this.#drawForms();
    }

    #drawTools() {
        const button = (label, action, kind = "") =>
            h("button", {type: "button", class: `small ${kind}`, onclick: action}, label);
        const items = [
            {label: "As JSON", action: () => this.#download()},
            {label: "For Xcode", action: () => this.#downloadForXcode()},
        ];
        show(this.#tools,
            this.#canChange ? button("Dry run", () => this.#rehearse()) : null,
            button("Differences", () => this.#showDifferences()),
            button(this.#text === null ? "As JSON" : "As forms", () => this.#toggle()),
            menu("Download", () => items, {class: "small"}));
    }

    #toggle() {
        if (!this.#take()) return;
        this.#text = this.#text === null ? this.#makeText() : null;
        this.#draw();
    }

    #showDifferences() {
        if (!this.#take()) return;
        show(
            this.#result, h("h2", {}, "Differences to the served model"), differences(this.#served, this.#version),
        );
    }

    #drawForms() {
        const entities = this.#version.entities ??= {};
        if (!(this.#selected in entities)) this.#selected = Object.keys(entities)[0] ?? null;
        const name = this.#selected;
        const context = {
            version: this.#version, served: this.#servedEntity(name), name, redraw: (focused) => this.#redraw(focused),
        };
        show(this.#content, this.#entityChooser(Object.keys(entities)), name === null ? null : entityForm(context));
    }

    /** The entity in the served model, where it may have another name. */
    #servedEntity(name) {
        const served = this.#served.entities ?? {};
        return served[name] ?? served[this.#version.entities[name]?.renamedFrom] ?? {};
    }

    /** Draws the forms again when the focus has moved, and gives it to the same field. */
    #redraw(focused) {
        setTimeout(() => {
            const field = focused ?? document.activeElement?.dataset?.field;
            this.#drawForms();
            const control = field === undefined ? null : this.#content.querySelector(`[data-field="${field}"]`);
            control?.focus();
            control?.select?.();
        });
    }

    #entityChooser(names) {
        const choose = (event) => {
            this.#selected = event.target.value;
            this.#drawForms();
        };
        const options = names.map((name) => h("option", {value: name, selected: name === this.#selected}, name));
        const button = (label, action, kind = "") =>
            h("button", {type: "button", class: `small ${kind}`, onclick: action}, label);
        return h("div", {class: "row entity-chooser"},
            h("label", {}, "Entity", h("select", {data: {field: "entity"}, onchange: choose}, options)),
            button("Add an entity", () => this.#add()),
            this.#selected === null ? null : [
                button("Rename", () => this.#rename()), button("Remove", () => this.#remove(), "danger"),
            ]);
    }

    async #add() {
        const name = await askForName("Name of the entity", "");
        if (name === "" || name in this.#version.entities) return;
        this.#version.entities[name] = {attributes: {name: "String"}};
        this.#selected = name;
        this.#drawForms();
    }

    async #rename() {
        const name = await askForName("New name", this.#selected);
        if (name === "" || name in this.#version.entities) return;
        renameEntity(this.#version, this.#selected, name, this.#served.entities ?? {});
        this.#selected = name;
        this.#drawForms();
    }

    async #remove() {
        const text = "Its objects are lost when the model is applied. Remove the relationships to it, too.";
        if (!await confirm(`Remove ${this.#selected}`, h("p", {}, text), "Remove")) return;
        removeEntity(this.#version, this.#selected);
        this.#drawForms();
    }

    #makeText() {
        const take = () => { if (this.#take()) show(this.#result); };
        return h("textarea", {
            class: "mono", rows: 24, spellcheck: "false", "aria-label": "The model as JSON", onchange: take,
        });
    }

    #drawText() {
        this.#text.value = writeJSON(this.#edited, "");
        show(this.#content, this.#text);
    }

    #download() {
        if (!this.#take()) return;
        download(new Blob([writeJSON(this.#edited, "")], {type: "application/json"}), "Model.json");
    }

    async #downloadForXcode() {
        if (!this.#take()) return;
        const {archive, fileName} = await import("./xcode.js");
        const name = fileName(model.title || "Model");
        download(archive(this.#version, name), `${name}.xcdatamodeld.tar`);
    }

    async #rehearse() {
        if (!this.#take()) return;
        show(this.#result, h("p", {class: "quiet"}, "Finding out what would happen …"));
        try {
            this.#rehearsed = writeJSON(this.#edited);
            const answer = await this.#post("?dryRun=true");
            const apply = h("button", {type: "button", class: "primary", onclick: () => this.#apply()}, "Apply it");
            const head = h("div", {class: "row"}, h("h2", {}, "This would happen"), h("span", {class: "spring"}),
                answer.isChanged ? apply : null);
            this.#report(head, answer);
        } catch (error) {
            show(this.#result, problem(error));
        }
    }

    /** Applies what was tried. If it was edited since, it is tried again. */
    async #apply() {
        if (!this.#take()) return;
        if (writeJSON(this.#edited) !== this.#rehearsed) {
            toast("The model was edited since, so it is tried again.");
            await this.#rehearse();
            return;
        }
        const text = h("p", {}, "The stores are migrated. Keep a backup.");
        if (!await confirm("Apply the model", text, "Apply", "primary")) return;
        show(this.#result, h("p", {class: "quiet"}, "Changing the model …"));
        try {
            const answer = await this.#post("");
            this.#report(h("h2", {}, "The model was changed"), answer);
            await model.read();
            this.#edited = copied(model.document);
            this.#draw();
            toast("The new model is served.");
        } catch (error) {
            show(this.#result, problem(error));
        }
    }

    async #post(parameters) {
        return (await send(`/api/model${parameters}`, {method: "POST", body: this.#edited})).value;
    }

    #report(head, answer) {
        const report = rehearsalReport(answer, this.#served, this.#version);
        show(this.#result, h("div", {class: "card"}, head, report));
        this.#result.scrollIntoView({block: "nearest"});
    }
}

function copied(document) {
    return readJSON(writeJSON(document));
}

async function askForName(title, name) {
    const answer = await dialog(title, (close) => {
        const input = h("input", {$value: name, "aria-label": "Name", autofocus: true});
        const submit = (event) => {
            event.preventDefault();
            close(input.value.trim());
        };
        const button = h("button", {class: "primary"}, "OK");
        return h("form", {onsubmit: submit}, input, h("div", {class: "buttons"}, button));
    });
    return answer ?? "";
}
