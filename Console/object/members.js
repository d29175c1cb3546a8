// SPDX-License-Identifier: Apache-2.0

// The members of a to-many relationship, which are added, removed, and moved if they are ordered; or the objects of a
// fetched property.

import {dataPath, get, query, send} from "../api.js";
import {h, show} from "../dom.js";
import {number, reference, titleOf} from "../format.js";
import {icon} from "../icons.js";
import {model} from "../model.js";
import {picker} from "../picker.js";
import {ruleTexts} from "../properties.js";
import {reportChange, session} from "../session.js";
import {sortableList} from "../sortable.js";
import {Turns} from "../turns.js";
import {failureToast, problem, toast} from "../widgets.js";

const FIRST = 15;

export class Members {
    /** @type {HTMLElement} */
    element;
    #object;
    #property;
    #destination;
    #items = [];
    #limit = FIRST;
    #turns = new Turns();
    #list = h("div", {class: "member-list"});
    #count = h("span", {class: "badge"});
    #tools = h("div", {class: "row member-tools"});
    #sortable;

    /**
     * @param {Record<string, any>} object
     * @param {import("../model.js").Relationship | import("../model.js").FetchedProperty} property
     */
    constructor(object, property) {
        this.#object = object;
        this.#property = property;
        this.#destination = model.find(property.destination);
        const {name, kind, destination} = property;
        const rules = kind === "fetched" ? [`fetched where ${property.predicate ?? "true"}`] : ruleTexts(property);
        const note = h(
            "span", {class: "quiet small-text", title: rules.join(" · ")}, `→ ${destination}`,
            rules.length > 0 ? ` · ${rules.join(" · ")}` : null,
        );
        this.element = h("section", {class: "members"},
            h("header", {}, h("h3", {}, name), this.#count, note), this.#list,
            this.isEditable ? this.#picker() : null, this.#tools);
        if (property.isOrdered && this.isEditable) {
            this.#sortable = sortableList([], {
                label: name, name: titleOf, content: (item) => this.#content(item), items: () => this.#items,
                move: (item, place) => this.#move(item, place),
            });
        }
    }

    /** Whether access rules may permit to change it: a member whose row changes must be changeable, too. */
    get isEditable() {
        const {kind, isWritable} = this.#property;
        if (kind === "fetched" || !isWritable || !model.entityOf(this.#object._id).can("update")) return false;
        if (this.#destination === null) return false;
        const inverse = this.#inverse;
        return inverse === undefined
            || (inverse.isWritable && (inverse.isToMany || this.#destination.can("update")));
    }

    /** Reads the members again. */
    async read() {
        const select = this.#destination?.naming?.name ?? "_id";
        const isLatest = this.#turns.begin();
        try {
            const answer = await get(this.#path + query({limit: this.#limit, count: "true", select}));
            if (!isLatest()) return;
            this.#items = answer.items;
            show(this.#count, number(answer.total ?? answer.items.length));
            this.#draw(answer.next !== null);
        } catch (error) {
            if (isLatest()) show(this.#list, problem(error));
        }
    }

    get #path() {
        return dataPath(`${this.#object._id}/${this.#property.name}`);
    }

    #draw(hasMore) {
        if (this.#sortable !== undefined) {
            this.#sortable.show();
            // What is taken out of the page can't be dragged on.
            if (this.#sortable.element.parentElement !== this.#list) show(this.#list, this.#sortable.element);
        } else {
            show(
                this.#list, h("ul", {class: "plain-list"}, this.#items.map((item) => h("li", {}, this.#content(item)))),
            );
        }
        if (this.#items.length === 0) show(this.#list, h("p", {class: "quiet small-text"}, "None."));
        const more = () => {
            this.#limit *= 4;
            this.read();
        };
        show(
            this.#tools, hasMore ? h("button", {type: "button", class: "small", onclick: more}, "Show more") : null,
            this.#links(),
        );
    }

    #content(item) {
        const link = reference(item);
        link.classList.add("spring");
        if (!this.#isRemovable) return link;
        const remove = h("button", {
            type: "button", class: "icon-button small",
            "aria-label": `Remove ${titleOf(item)} from ${this.#property.name}`,
            title: "Remove from the relationship",
            onclick: () => this.#remove(item),
        }, icon("close"));
        return [link, remove];
    }

    #remove(item) {
        const target = `${this.#path}/${item._id.split("/")[1]}`;
        const text = `${titleOf(item)} was removed from ${this.#property.name}.`;
        return this.#change(() => send(target, {method: "DELETE", prefer: "return=minimal"}), text);
    }

    /** An object that must have its inverse can only be deleted, or moved to another one. */
    get #isRemovable() {
        const {kind} = this.#property;
        return kind === "relationship" && this.isEditable
            && (this.#inverse === undefined || this.#inverse.isToMany || this.#inverse.isOptional);
    }

    get #inverse() {
        return this.#property.inverse === undefined ? undefined : this.#destination?.property(this.#property.inverse);
    }

    #picker() {
        const {name, destination} = this.#property;
        const values = this.#inverse !== undefined && !this.#inverse.isToMany
            ? {[this.#inverse.name]: this.#object._id} : {};
        const add = (object) => this.#change(
            () => send(this.#path, {method: "POST", body: object._id, prefer: "return=minimal"}),
            `${titleOf(object)} was added to ${name}.`,
        );
        return picker(destination, add, {label: `Add to ${name}`, values}).element;
    }

    #links() {
        const inverse = this.#inverse;
        const destination = this.#destination;
        if (inverse === undefined || destination === null) return null;
        const own = query({[inverse.name]: this.#object._id});
        const kinds = destination.concrete.filter((kind) => kind.can("create"));
        return [
            h("a", {href: `#/data/${destination.name}${own}`}, "As a table"),
            inverse.isToMany || kinds.length !== 1 ? null
                : h("a", {href: `#/object/${kinds[0].path}/new${own}`}, `New ${destination.name}`),
        ];
    }

    async #move(item, place) {
        const body = {[this.#property.name]: {move: [{_id: item._id, to: place}]}};
        await this.#change(
            () => send(dataPath(this.#object._id), {method: "PATCH", body, prefer: "return=minimal"}),
            `The order of ${this.#property.name} was stored.`,
        );
    }

    /** Changes what is stored, and says so: these changes don't wait for Save. */
    async #change(request, text) {
        try {
            await request();
            toast(session.draft === null ? text : `${text.slice(0, -1)}, in the draft.`);
            reportChange();
        } catch (error) {
            failureToast(error);
        }
        await this.read();
    }
}
