// SPDX-License-Identifier: Apache-2.0

// The heading of an object's page: where it belongs, what it is called, and what can be done with it.

import {dataPath} from "../api.js";
import {curl} from "../curl.js";
import {h, show} from "../dom.js";
import {titleOf} from "../format.js";
import {icon} from "../icons.js";
import {menu} from "../menu.js";
import {go} from "../navigation.js";
import {copyButton, dialog} from "../widgets.js";

export class Heading {
    element = h("div", {class: "heading object-heading"});
    #entity;
    #form;
    #object;
    #title = h("h1");
    #version = h("span", {class: "badge", title: "How often it was saved"});
    #revert = h("button", {type: "button", onclick: () => this.#form.reset()}, "Revert");
    #save;

    /**
     * @param {import("../model.js").Entity} entity
     * @param {Record<string, any> | null} object Null for a new one.
     * @param {import("./form.js").ObjectForm} form
     */
    constructor(entity, object, form) {
        this.#entity = entity;
        this.#form = form;
        this.#save = h(
            "button", {type: "submit", class: "primary", form: form.element.id, title: "Ctrl S"},
            object === null ? "Create" : "Save",
        );
        form.changed = () => this.#update();
        show(this.element,
            h("a", {href: `#/data/${entity.name}`, class: "parent"}, icon("back"), entity.name),
            this.#title,
            object === null ? null : [copyableReference(object._id), this.#version],
            h("span", {class: "spring"}),
            h("div", {class: "actions"},
                object === null || !entity.can("update") ? null : this.#revert,
                entity.can(object === null ? "create" : "update") ? this.#save : null,
                object === null ? null
                    : menu(icon("more"), () => this.#items(), {class: "icon-button", "aria-label": "More"})));
        if (object === null) show(this.#title, `New ${entity.name}`);
        else this.show(object);
        this.#update();
    }

    /** @param {Record<string, any>} object */
    show(object) {
        this.#object = object;
        show(this.#title, titleOf(object));
        show(this.#version, `version ${object._version}`);
    }

    showDeleted() {
        show(this.#version, "deleted");
        this.#version.className = "badge bad";
    }

    #update() {
        this.#revert.disabled = !this.#form.isEdited;
        this.#save.disabled = this.#object !== undefined && !this.#form.isEdited;
    }

    #items() {
        const {_id} = this.#object;
        const entity = this.#entity;
        const {path} = entity;
        const duplicate = {
            label: "Duplicate", icon: "copy", action: () => go(`#/object/${path}/new?_copy=${_id}`),
        };
        const remove = {label: "Delete …", icon: "trash", action: () => this.#delete()};
        return [
            ...(entity.can("create") ? [duplicate] : []),
            {label: "curl line …", icon: "copy", action: () => this.#showCurl(dataPath(_id))},
            {label: "Model of this entity", icon: "link", action: () => go(`#/model/${this.#entity.name}`)},
            ...(entity.can("delete") ? [null, remove] : []),
        ];
    }

    #showCurl(path) {
        const lines = [
            curl("GET", path), curl("PATCH", path, {}, this.#form.changedValues ?? {}),
            curl("DELETE", path, {dryRun: "true"}),
        ].join("\n");
        dialog(
            "The same with curl",
            () => [h("pre", {class: "card"}, lines), h("div", {class: "buttons"}, copyButton(lines))], {isWide: true},
        );
    }

    async #delete() {
        const {deleteObject} = await import("./deleting.js");
        if (!await deleteObject(this.#object)) return;
        this.#form.reset();
        go(`#/data/${this.#entity.name}`);
    }
}

function copyableReference(reference) {
    const copy = () => navigator.clipboard?.writeText(reference);
    return h("button", {type: "button", class: "badge", title: "Copy the reference", onclick: copy}, reference);
}
