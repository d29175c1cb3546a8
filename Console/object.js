// SPDX-License-Identifier: Apache-2.0

// The page of an object: its form, its relationships and its history. A new object has the form alone.

import {APIError, dataPath, get, query, send, session} from "./api.js";
import {binaryField} from "./binary.js";
import {deleteObject} from "./deleting.js";
import {h, show} from "./dom.js";
import {editor, violation} from "./editors.js";
import {shown, titleOf} from "./format.js";
import {history} from "./history.js";
import {membersOf} from "./members.js";
import {model, rules} from "./model.js";
import {toOneEditor} from "./picker.js";
import {problem, tabs, toast, unique} from "./widgets.js";

export async function page(place) {
    const [name, key] = place.parts;
    const entity = model.find(name);
    if (entity === null) throw new Error(`There is no entity “${name}”.`);
    const isNew = key === "new";
    const object = isNew ? blank(entity, place.parameters) : await readObject(entity, key);
    const kind = isNew ? entity : model.find(object._entity) ?? entity;
    const form = new ObjectForm(kind, object, isNew);
    const panels = isNew ? null : tabs("Object", [["Relationships", () => h("div", {}, kind.relationships.filter((one) => one.isToMany).map((one) => membersOf(object, one)), kind.fetched.map((one) => membersOf(object, one)))],
        ["History", () => history(object, kind, () => form.reload())], ["JSON", () => raw(object)]]);
    const element = h("div", {class: "page"}, form.heading, h("div", {class: isNew ? "" : "columns2"}, form.element, panels));
    return {title: isNew ? `New ${kind.name}` : titleOf(object), element, leave: () => form.leave()};
}

function blank(entity, parameters) { return Object.fromEntries([...parameters].filter(([name]) => entity.property(name) !== undefined)); }

async function readObject(entity, key) {
    const own = await get(dataPath(`${entity.path}/${key}`));
    const kind = model.find(own._entity) ?? entity;
    const include = kind.toOnes.map((one) => { const title = model.find(one.destination)?.title; return title ? `${one.name}(select=${title.name})` : one.name; }).join(",");
    return include === "" ? own : get(dataPath(own._id) + query({include})).catch(() => own);
}

function raw(object) {
    const element = h("pre", {class: "json"});
    import("./format.js").then(({json}) => get(dataPath(object._id)).then((value) => show(element, json(value)), (error) => show(element, error.message)));
    return element;
}

class ObjectForm {
    constructor(entity, object, isNew) {
        this.entity = entity;
        this.object = object;
        this.isNew = isNew;
        this.parts = [];
        this.problems = h("div");
        this.save = h("button", {class: "primary", type: "submit", form: "object-form", disabled: !isNew}, isNew ? "Create" : "Save");
        this.revert = h("button", {type: "button", disabled: true, onclick: () => this.reset()}, "Revert");
        this.title = h("h1", {}, isNew ? `New ${entity.name}` : titleOf(object));
        this.heading = h("div", {class: "heading"}, h("a", {href: `#/data/${entity.name}`}, entity.name), h("span", {class: "quiet"}, "/"), this.title,
            isNew ? null : h("span", {class: "badge"}, object._id), isNew ? null : h("span", {class: "badge", title: "How often it was saved"}, `version ${object._version}`),
            h("span", {class: "spring"}), isNew ? null : this.revert, this.save,
            isNew ? null : h("button", {class: "danger", type: "button", onclick: () => deleteObject(object, entity)}, "Delete …"));
        this.element = h("form", {id: "object-form", novalidate: true, onsubmit: (event) => { event.preventDefault(); this.submit(); }}, this.problems,
            [entity.title, ...entity.attributes.filter((one) => one !== entity.title)].filter(Boolean).map((attribute) => this.attributeField(attribute)), entity.toOnes.map((one) => this.relationshipField(one)));
        this.keys = (event) => { if ((event.ctrlKey || event.metaKey) && event.key === "s") { event.preventDefault(); this.submit(); } };
        addEventListener("keydown", this.keys);
    }

    leave() { removeEventListener("keydown", this.keys); }

    attributeField(attribute) {
        if (attribute.type === "Binary") return this.isNew ? null : binaryField(this.object, attribute, () => this.reload());
        if (!attribute.isWritable || (attribute.isTransient && session.draft === null)) {
            return this.isNew ? null : h("div", {class: "field"}, h("span", {class: "label"}, attribute.name), h("div", {class: "readonly"}, shown(this.object[attribute.name], attribute)), h("div", {class: "rules"}, rules(attribute).join(" · ")));
        }
        if (!this.isNew && !(attribute.name in this.object) && !attribute.isTransient) return null;
        const begin = this.isNew ? this.object[attribute.name] ?? attribute.default ?? (attribute.type === "Bool" && !attribute.isOptional ? false : undefined) : this.object[attribute.name];
        return this.field(attribute, (changed, id) => editor(attribute, begin, changed, {id}));
    }

    relationshipField(relationship) {
        if (!this.isNew && !(relationship.name in this.object)) return null;
        return this.field(relationship, (changed) => toOneEditor(relationship, this.object[relationship.name], changed));
    }

    field(property, make) {
        const id = unique("field"), message = h("div", {class: "message", id: `${id}-message`, "aria-live": "polite"});
        const part = {property, message, isTouched: false};
        part.editor = make(() => { part.isTouched = true; this.check(part); this.update(); }, id);
        part.begin = JSON.stringify(safely(part.editor.value));
        const note = rules(property).filter((rule) => !rule.startsWith("default") || this.isNew).join(" · ");
        part.editor.input.setAttribute("aria-describedby", `${id}-message`);
        part.element = h("div", {class: "field"}, property.kind === "relationship" ? h("span", {class: "label"}, property.name) : h("label", {for: id}, property.name, property.isOptional || property.default !== undefined ? null : h("span", {title: "required", "aria-label": "required"}, " *")),
            part.editor.element, note === "" ? null : h("div", {class: "rules"}, note), message);
        this.parts.push(part);
        return part.element;
    }

    /** What is wrong with a field by the model's rules. */
    check(part, messages = null) {
        let wrong = messages === null ? null : messages.join(" ") || null;
        if (messages === null) {
            try { wrong = part.property.kind === "attribute" ? violation(part.property, part.editor.value()) : !part.property.isOptional && part.editor.value() === null ? `${part.property.name} needs an object.` : null; }
            catch (error) { wrong = error.message; }
        }
        show(part.message, wrong ?? "");
        part.editor.input.setAttribute("aria-invalid", String(wrong !== null));
        return wrong === null;
    }

    isChanged(part) { return JSON.stringify(safely(part.editor.value)) !== part.begin; }

    update() {
        for (const part of this.parts) part.element.classList.toggle("changed", !this.isNew && this.isChanged(part));
        const isChanged = this.parts.some((part) => this.isChanged(part));
        this.save.disabled = !this.isNew && !isChanged;
        this.revert.disabled = !isChanged;
    }

    reset() {
        for (const part of this.parts) { part.editor.set(this.object[part.property.name] ?? null); this.check(part); }
        show(this.problems);
        this.update();
    }

    async reload() {
        location.hash = `#/object/${this.object._id}`;
        dispatchEvent(new HashChangeEvent("hashchange"));
        dispatchEvent(new Event("outcrop-changed"));
    }

    async submit() {
        const changed = this.parts.filter((part) => this.isNew ? part.isTouched || this.object[part.property.name] !== undefined : this.isChanged(part));
        if (!(this.isNew ? this.parts : changed).map((part) => this.check(part)).every(Boolean)) { this.parts.find((part) => part.message.textContent !== "")?.editor.input.focus?.(); return; }
        if (!this.isNew && changed.length === 0) return;
        const body = Object.fromEntries(changed.map((part) => [part.property.name, part.editor.value()]));
        this.save.disabled = true;
        try {
            const answer = this.isNew ? await send(dataPath(this.entity.path), {method: "POST", body})
                : await send(dataPath(this.object._id), {method: "PATCH", body: {_version: this.object._version, ...body}});
            toast(this.isNew ? "Created." : session.draft === null ? "Saved." : "Changed in the draft.");
            if (this.isNew) location.hash = `#/object/${answer.value?._id ?? this.entity.path}`; else await this.reload();
            dispatchEvent(new Event("outcrop-changed"));
        } catch (error) { this.failed(error, body); } finally { this.update(); if (this.isNew) this.save.disabled = false; }
    }

    failed(error, body) {
        if (error instanceof APIError && (error.status === 409 || error.status === 412) && !this.isNew && error.code !== "unique") { this.conflict(error, body); return; }
        show(this.problems, problem(error));
        if (!(error instanceof APIError)) return;
        for (const part of this.parts) { const messages = error.messages(part.property.name); if (messages.length > 0) this.check(part, messages); }
        this.problems.scrollIntoView({block: "nearest"});
    }

    /** Someone else has changed the object: both values side by side, and a choice for each property. */
    async conflict(error, body) {
        const stored = await get(dataPath(this.object._id)).catch(() => null);
        if (stored === null) { show(this.problems, problem(error)); return; }
        const names = Object.keys(body);
        const chosen = Object.fromEntries(names.map((name) => [name, true]));
        const line = (name) => {
            const property = this.entity.property(name), group = unique("choice");
            const choice = (isMine, value) => h("label", {class: "row"}, h("input", {type: "radio", name: group, $checked: isMine, onchange: () => { chosen[name] = isMine; }}), h("span", {}, shown(value, property)));
            return h("tr", {}, h("th", {scope: "row"}, name), h("td", {}, choice(true, body[name])), h("td", {}, choice(false, stored[name])));
        };
        show(this.problems, h("div", {class: "card", role: "alert"}, h("h2", {}, "It was changed by another request"), h("p", {class: "quiet"}, error.message),
            h("table", {class: "plain"}, h("thead", {}, h("tr", {}, h("th", {}, "Property"), h("th", {}, "Yours"), h("th", {}, "Stored"))), h("tbody", {}, names.map(line))),
            h("div", {class: "buttons"}, h("button", {type: "button", onclick: () => this.reload()}, "Take the stored object"), h("button", {type: "button", class: "primary", onclick: async () => {
                const kept = Object.fromEntries(names.filter((name) => chosen[name]).map((name) => [name, body[name]]));
                try { await send(dataPath(this.object._id), {method: "PATCH", body: {...kept, _version: stored._version}}); toast("Saved."); this.reload(); } catch (again) { this.failed(again, kept); }
            }}, "Save the chosen values"))));
        this.problems.scrollIntoView({block: "nearest"});
    }
}

/** A value, or the text of what is wrong with it. */
function safely(value) { try { return value(); } catch (error) { return error.message; } }
