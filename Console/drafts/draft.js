// SPDX-License-Identifier: Apache-2.0

// The page of a draft: what it changes, what others save meanwhile, and what can be done with it. While it is edited,
// the line below the navigation has undo, redo and saving.

import {get, send} from "../api.js";
import {h, show} from "../dom.js";
import {reference} from "../format.js";
import {icon} from "../icons.js";
import {draftPath, saveDraft} from "../draftsaving.js";
import {menu} from "../menu.js";
import {go} from "../navigation.js";
import {events, reportChange, session} from "../session.js";
import {nameReferences} from "../titles.js";
import {Turns} from "../turns.js";
import {confirm, problem} from "../widgets.js";
import {changeCards} from "./changes.js";
import {openDraft} from "./list.js";
import {Merges} from "./merges.js";

export class Draft {
    title = "Draft";
    element;
    #context;
    #path;
    #state = null;
    #turns = new Turns();
    #head = h("div", {class: "heading"});
    #result = h("div", {"aria-live": "polite"});
    #body = h("div");
    #merges;
    #again = (event) => {
        if (event?.detail.isOwn) show(this.#result);
        this.read();
    };

    /** @param {string} context Its name in paths. */
    constructor(context) {
        this.#context = context;
        this.#path = draftPath(context);
        this.#merges = new Merges(this.#path, () => this.read());
        this.element = h("div", {class: "page draft"}, this.#head, this.#result,
            h("div", {class: "columns2"}, this.#body, this.#merges.element));
        events.addEventListener("changed", this.#again);
    }

    leave() {
        this.#turns.begin();
        this.#merges.leave();
        events.removeEventListener("changed", this.#again);
    }

    get #isEdited() {
        return session.draft === this.#context;
    }

    async read() {
        const isLatest = this.#turns.begin();
        try {
            const [state, changes] = await Promise.all([get(this.#path), get(`${this.#path}/changes`)]);
            if (!isLatest()) return;
            this.#state = state;
            this.title = state.name ?? state.context;
            this.#showHead();
            this.#showBody(changes);
            if (state.automaticallyMergesChanges) this.#merges.start();
        } catch (error) {
            if (!isLatest()) return;
            show(this.#head, this.#parent(), h("h1", {}, "Draft"));
            show(this.#body, problem(error));
            const hasEnded = error.status === 404 || error.status === 410;
            if (hasEnded && this.#isEdited) session.change({draft: null});
        }
    }

    #parent() {
        return [h("a", {href: "#/drafts"}, "Drafts"), h("span", {class: "quiet"}, "/")];
    }

    #showHead() {
        const {context, name, automaticallyMergesChanges} = this.#state;
        const staying = "It doesn't show what others save";
        show(this.#head, this.#parent(), h("h1", {}, this.title),
            name ? h("span", {class: "badge"}, context) : null,
            automaticallyMergesChanges ? null : h("span", {class: "badge", title: staying}, "stays as it was read"),
            h("span", {class: "spring"}),
            this.#button("Check", () => this.#check()), this.#isEdited ? null : this.#buttonsOfOthers(),
            menu(icon("more"), () => this.#items(), {class: "icon-button", "aria-label": "More"}));
    }

    /** What the line below the navigation has for the draft that is edited. */
    #buttonsOfOthers() {
        const {undo, redo, hasChanges} = this.#state;
        return [
            this.#button("Undo", () => this.#do("undo"), {disabled: undo === 0}),
            this.#button("Redo", () => this.#do("redo"), {disabled: redo === 0}),
            this.#button("Save", () => saveDraft(this.#context), {disabled: !hasChanges}),
            this.#button("Edit in it", () => session.change({draft: this.#context}), {class: "primary"}),
        ];
    }

    #button(label, action, attributes = {}) {
        return h("button", {type: "button", onclick: action, ...attributes}, label);
    }

    #items() {
        const read = {label: "Read what others have saved", action: () => this.#do("refresh", {})};
        return [
            {label: "Open a draft of this draft", action: () => openDraft({parent: this.#context})},
            ...(this.#state.automaticallyMergesChanges ? [] : [read]),
            null,
            {label: "Discard its changes …", action: () => this.#discard()},
            {label: "End the draft …", action: () => this.#end()},
        ];
    }

    #showBody(changes) {
        const {parent, children, notice} = this.#state;
        const link = (name) => [h("a", {href: `#/drafts/${name}`}, name), " "];
        const cards = changeCards(changes, (object, values) => this.#change(object, values));
        show(this.#body,
            parent ? h("p", {}, "It is a draft of ", link(parent), "and is saved into it.") : null,
            children.length > 0 ? h("p", {}, "Drafts of it: ", children.map(link)) : null,
            notice ? h("p", {class: "note"}, notice) : null,
            cards ?? h("p", {class: "quiet"}, "Nothing is changed yet. ", this.#advice));
        this.#name(parent ?? null);
    }

    get #advice() {
        return this.#isEdited ? "Edit objects on the page Data; their changes appear here."
            : "Edit in it, and change objects on the page Data.";
    }

    /** Shows names instead of references; those of deleted objects are known outside of the draft. */
    async #name(parent) {
        await nameReferences(this.#body, this.#context);
        await nameReferences(this.#body, parent);
    }

    async #change(object, values) {
        await this.#do(object, values, "PATCH");
    }

    /** Does something with the draft, and shows what it is then. */
    async #do(verb, body, method = "POST") {
        try {
            await send(`${this.#path}/${verb}`, {method, body});
            show(this.#result);
            reportChange();
        } catch (error) {
            show(this.#result, problem(error));
            if (error.code === "conflict") this.read();
        }
    }

    async #check() {
        try {
            const {valid, errors} = await get(`${this.#path}/validate`, {method: "POST"});
            show(this.#result, valid ? h("p", {class: "badge good"}, "It can be saved.") : mistakes(errors));
            nameReferences(this.#result, this.#context);
        } catch (error) {
            show(this.#result, problem(error));
        }
    }

    async #discard() {
        const text = h("p", {}, "All that it has changed since it was opened or saved is dropped.");
        if (await confirm("Discard the changes of the draft", text, "Discard")) await this.#do("rollback");
    }

    async #end() {
        const text = h("p", {}, "Its changes are lost, and drafts of it end, too.");
        if (!await confirm("End the draft", text, "End it")) return;
        try {
            await send(this.#path, {method: "DELETE"});
            if (this.#isEdited) session.change({draft: null});
            go("#/drafts");
        } catch (error) {
            show(this.#result, problem(error));
        }
    }
}

function mistakes(errors) {
    const item = (error) => h("li", {}, reference(error.object), " ", error.message);
    return h("div", {class: "problem"}, h("strong", {}, "It can't be saved yet."), h("ul", {}, errors.map(item)));
}
