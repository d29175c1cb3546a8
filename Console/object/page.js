// SPDX-License-Identifier: Apache-2.0

// The page of an object: its form, its relationships and its history. A new object has the form alone.

import {dataPath, get, query} from "../api.js";
import {Creation} from "../creation.js";
import {debounced, h} from "../dom.js";
import {titleOf} from "../format.js";
import {remember} from "../former.js";
import {model} from "../model.js";
import {go} from "../navigation.js";
import {saveValues} from "../saving.js";
import {events, reportChange, session} from "../session.js";
import {Turns} from "../turns.js";
import {tabs, toast} from "../widgets.js";
import {ObjectForm} from "./form.js";
import {Heading} from "./heading.js";
import {History} from "./history.js";
import {JSONPanel} from "./json.js";
import {Members} from "./members.js";

/** @param {import("../navigation.js").Place} place @returns {Promise<import("../navigation.js").Page>} */
export async function page({parts: [path, key], parameters}) {
    const entity = model.find(path ?? "");
    if (entity === null) throw new Error(`There is no entity “${path}” that you may see.`);
    const isNew = key === "new";
    const content = isNew
        ? new NewObject(entity, await beginning(entity, parameters))
        : new ExistingObject(await readObject(`${path}/${key}`));
    return {
        title: content.title, element: content.element, isEdited: () => content.form.isEdited,
        save: async () => {
            await content.form.submit();
            return !content.form.isEdited;
        },
        leave: () => content.leave(),
    };
}

/** How many relationships are embedded by one request. A server allows 20, unless it is told otherwise. */
const EMBEDDED = 20;

/** Reads an object, with the names of the objects that its to-one relationships have. */
export async function readObject(reference) {
    const entity = model.entityOf(reference);
    const includes = entity.toOnes.map(({name, destination}) => {
        const naming = model.find(destination)?.naming;
        return naming === undefined ? name : `${name}(select=${naming.name})`;
    });
    const object = await get(dataPath(reference) + query({include: includes.slice(0, EMBEDDED).join(",")}));
    // The path may be that of an entity above the object's own, which has fewer relationships.
    if (model.entityOf(object._id) !== entity) return readObject(object._id);
    for (let place = EMBEDDED; place < includes.length; place += EMBEDDED) {
        const include = includes.slice(place, place + EMBEDDED).join(",");
        const names = entity.toOnes.slice(place, place + EMBEDDED).map(({name}) => name);
        const more = await get(dataPath(reference) + query({select: names.join(","), include}));
        for (const name of names) object[name] = more[name];
    }
    remember(object);
    return object;
}

/** The values that a new object begins with: those of the object that is copied, and those of the address. */
async function beginning(entity, parameters) {
    const named = [...parameters].filter(([name]) => entity.property(name) !== undefined);
    const copied = parameters.get("_copy");
    return {...copied === null ? {} : copy(entity, await readObject(copied)), ...Object.fromEntries(named)};
}

/** The values of an object, except for those that must be unique, and for bytes. */
function copy(entity, object) {
    const unique = new Set(entity.uniqueSets.filter((names) => names.length === 1).flat());
    const isCopied = ({name, type, isWritable}) =>
        isWritable && !unique.has(name) && type !== "Binary" && name in object;
    const properties = [...entity.attributes, ...entity.toOnes].filter(isCopied);
    return Object.fromEntries(properties.map(({name}) => [name, object[name]]));
}

class NewObject {
    #creation = new Creation();
    #isCreated = false;
    #isLeft = false;

    constructor(entity, begin) {
        this.entity = entity;
        this.title = `New ${entity.name}`;
        this.form = new ObjectForm(entity, begin, {isNew: true, submit: () => this.save()});
        this.heading = new Heading(entity, null, this.form);
        this.element = h("div", {class: "page object creating"}, this.heading.element, this.form.element);
    }

    async save() {
        if (this.#isCreated) return;
        const values = await this.form.validValues();
        if (values === null) return;
        this.form.element.inert = true;
        try {
            const value = await this.#creation.run(this.entity, values);
            this.#isCreated = true;
            this.form.accept(values);
            reportChange();
            toast(session.draft === null ? "Created." : "Created in the draft.");
            if (this.#isLeft) return;
            // Rules may permit to create what can't be read then.
            const {_id} = value ?? {};
            go(_id === undefined ? `#/data/${this.entity.name}` : `#/object/${_id}`, {isReplacing: true});
        } catch (error) {
            this.form.element.inert = false;
            this.form.fail(error);
        }
    }

    leave() {
        this.#isLeft = true;
        this.form.leave();
    }
}

class ExistingObject {
    #changed = debounced(() => this.refresh(), 200);
    #panels = [];
    #turns = new Turns();
    #isLeft = false;

    constructor(object) {
        this.object = object;
        this.entity = model.find(object._entity);
        this.title = titleOf(object);
        this.form = new ObjectForm(
            this.entity, object, {isNew: false, submit: () => this.save(), reload: () => this.refresh()},
        );
        this.heading = new Heading(this.entity, object, this.form);
        const collections = [...this.entity.toManys, ...this.entity.fetchedProperties];
        this.members = collections.map((property) => new Members(object, property));
        const panels = tabs("Object", [
            ["Relationships", () => this.#relationships()],
            ["History", () => this.#panel(new History(this.object, this.entity, this.form))],
            ["JSON", () => this.#panel(new JSONPanel(this.object._id))],
        ]);
        this.element = h(
            "div", {class: "page object"}, this.heading.element,
            h("div", {class: "columns"}, this.form.element, panels),
        );
        events.addEventListener("changed", this.#changed);
    }

    async save() {
        const values = await this.form.validValues();
        if (values === null) return;
        try {
            if (await saveValues(this.entity, this.object, values) === null) return;
            this.form.accept(values);
            await this.refresh();
            toast(session.draft === null ? "Saved." : "Changed in the draft.");
        } catch (error) {
            this.form.fail(error);
        }
    }

    /** Shows what is stored now. What is edited here stays. */
    async refresh() {
        if (this.#isLeft) return;
        const isLatest = this.#turns.begin();
        try {
            const object = await readObject(this.object._id);
            if (!isLatest()) return;
            this.object = object;
            this.form.take(this.object);
            this.heading.show(this.object);
            for (const panel of this.#panels) panel.read();
        } catch (error) {
            if (error.status === 404 && isLatest()) this.heading.showDeleted();
        }
    }

    leave() {
        this.#isLeft = true;
        this.#turns.begin();
        for (const panel of this.#panels) panel.leave?.();
        this.form.leave();
        events.removeEventListener("changed", this.#changed);
    }

    #relationships() {
        if (this.members.length === 0) return h("p", {class: "quiet"}, "There are no to-many relationships.");
        const isEditable = this.members.some((members) => members.isEditable);
        const note = session.draft === null ? "Changes here are stored at once, without Save."
            : "Changes here are in the draft at once, without Save.";
        return h("div", {},
            isEditable ? h("p", {class: "quiet small-text at-once"}, note) : null,
            this.members.map((members) => this.#panel(members)));
    }

    /** Shows a part of the page that is read by itself, now and after changes. */
    #panel(panel) {
        this.#panels.push(panel);
        panel.read();
        return panel.element;
    }
}
