// SPDX-License-Identifier: Apache-2.0

// The editor of the model: entities, attributes and relationships in forms, or the document as JSON. What a change would do
// to the stores is found out before it is made.

import {send} from "../api.js";
import {h, show} from "../dom.js";
import {json} from "../format.js";
import {readJSON} from "../json.js";
import {currentVersion, model} from "../model.js";
import {confirm, dialog, download, problem, toast} from "../widgets.js";
import {differences} from "./differences.js";

const TYPES = ["String", "Int16", "Int32", "Int64", "Double", "Float", "Decimal", "Bool", "Date", "UUID", "URI", "Binary", "Transformable"];
const RULES = ["nullify", "cascade", "deny", "noAction"];

export function modelEditor() {
    const edited = structuredClone(model.document);
    const version = () => currentVersion(edited);
    const content = h("div"), result = h("div", {"aria-live": "polite"});
    let selected = Object.keys(version().entities ?? {})[0] ?? null, isText = false;

    function draw() {
        if (isText) { drawText(); return; }
        const entities = version().entities ??= {};
        const names = Object.keys(entities);
        show(content, h("div", {class: "row"},
            h("label", {class: "row"}, "Entity ", h("select", {onchange: (event) => { selected = event.target.value; draw(); }}, names.map((name) => h("option", {value: name, selected: name === selected}, name)))),
            h("button", {class: "small", onclick: addEntity}, "Add an entity"), selected === null ? null : h("button", {class: "small", onclick: renameEntity}, "Rename"), selected === null ? null : h("button", {class: "small danger", onclick: removeEntity}, "Remove")),
        selected === null ? null : entityForm(entities[selected], entities));
    }

    function entityForm(entity, entities) {
        const names = Object.keys(entities);
        return [
            h("div", {class: "row"}, h("label", {class: "row"}, "Parent ", h("select", {onchange: (event) => { if (event.target.value) entity.parent = event.target.value; else delete entity.parent; }}, ["", ...names.filter((name) => name !== selected)].map((name) => h("option", {value: name, selected: entity.parent === name}, name)))),
                h("label", {class: "row"}, h("input", {type: "checkbox", $checked: entity.abstract === true, onchange: (event) => { if (event.target.checked) entity.abstract = true; else delete entity.abstract; }}), "abstract"),
                h("label", {class: "row"}, "Unique ", h("input", {$value: (entity.unique ?? []).map((one) => [one].flat().join("+")).join(", "), placeholder: "slug, name+tenant", onchange: (event) => {
                    const constraints = event.target.value.split(",").map((one) => one.trim()).filter(Boolean).map((one) => one.includes("+") ? one.split("+").map((part) => part.trim()) : one);
                    if (constraints.length > 0) entity.unique = constraints; else delete entity.unique;
                }}))),
            h("h2", {}, "Attributes"), h("div", {class: "scroll"}, h("table", {class: "plain"}, h("thead", {}, h("tr", {}, ["Name", "Type", "Optional", "Default", "Least", "Most", "Pattern", ""].map((one) => h("th", {}, one)))),
                h("tbody", {}, Object.keys(entity.attributes ?? {}).map((name) => attributeRow(entity, name))))), h("button", {class: "small", onclick: () => { (entity.attributes ??= {})[free(entity.attributes, "attribute")] = "String?"; draw(); }}, "Add an attribute"),
            h("h2", {}, "Relationships"), h("div", {class: "scroll"}, h("table", {class: "plain"}, h("thead", {}, h("tr", {}, ["Name", "Destination", "To many", "Ordered", "Optional", "Inverse", "On delete", ""].map((one) => h("th", {}, one)))),
                h("tbody", {}, Object.keys(entity.relationships ?? {}).map((name) => relationshipRow(entity, name, names))))), h("button", {class: "small", onclick: () => addRelationship(entity)}, "Add a relationship"),
        ];
    }

    function attributeRow(entity, name) {
        const long = expanded(entity.attributes[name]);
        const isText = long.type === "String";
        const write = () => { entity.attributes[name] = compact({...long}); };
        const cell = (label, key, read = (text) => text) => h("td", {}, h("input", {"aria-label": `${label} of ${name}`, $value: long[key] === undefined ? "" : typeof long[key] === "object" ? JSON.stringify(long[key]) : String(long[key]), onchange: (event) => {
            if (event.target.value === "") delete long[key]; else long[key] = read(event.target.value);
            write();
        }}));
        const plain = (text) => /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
        return h("tr", {}, h("td", {}, h("input", {"aria-label": "Name", $value: name, onchange: (event) => rename(entity.attributes, name, event.target.value, long)})),
            h("td", {}, h("select", {"aria-label": `Type of ${name}`, onchange: (event) => { long.type = event.target.value; write(); draw(); }}, [...TYPES, ...Object.keys(version().composites ?? {})].map((type) => h("option", {value: type, selected: type === long.type}, type)))),
            h("td", {}, h("input", {type: "checkbox", "aria-label": `${name} is optional`, $checked: long.optional, onchange: (event) => { long.optional = event.target.checked; write(); }})),
            cell("Default", "default", (text) => long.type === "Bool" ? /^(true|yes|1)$/i.test(text) : plain(text)), cell("Least", isText ? "minLength" : "min", plain), cell("Most", isText ? "maxLength" : "max", plain), isText ? cell("Pattern", "pattern") : h("td"),
            h("td", {}, h("button", {class: "small plain", "aria-label": `Remove ${name}`, onclick: () => { delete entity.attributes[name]; draw(); }}, "×")));
    }

    function relationshipRow(entity, name, names) {
        const long = expandedRelationship(entity.relationships[name]);
        const write = () => { entity.relationships[name] = compactRelationship(long); };
        const check = (label, key) => h("td", {}, h("input", {type: "checkbox", "aria-label": `${name}: ${label}`, $checked: long[key] === true, onchange: (event) => { long[key] = event.target.checked; write(); draw(); }}));
        return h("tr", {}, h("td", {}, h("input", {"aria-label": "Name", $value: name, onchange: (event) => rename(entity.relationships, name, event.target.value, long)})),
            h("td", {}, h("select", {"aria-label": `Destination of ${name}`, onchange: (event) => { long.destination = event.target.value; write(); }}, names.map((one) => h("option", {value: one, selected: one === long.destination}, one)))),
            check("to many", "isToMany"), check("ordered", "isOrdered"), check("optional", "isOptional"),
            h("td", {}, h("input", {"aria-label": `Inverse of ${name}`, $value: long.inverse ?? "", onchange: (event) => { long.inverse = event.target.value || undefined; write(); }})),
            h("td", {}, h("select", {"aria-label": `Delete rule of ${name}`, onchange: (event) => { long.deleteRule = event.target.value; write(); }}, RULES.map((rule) => h("option", {value: rule, selected: rule === (long.deleteRule ?? "nullify")}, rule)))),
            h("td", {}, h("button", {class: "small plain", "aria-label": `Remove ${name}`, onclick: () => { delete entity.relationships[name]; draw(); }}, "×")));
    }

    function rename(members, name, next, long) {
        if (next === name || next === "" || next in members) { draw(); return; }
        // Values follow a property that says what it was renamed from.
        const renamed = {...expandedAny(members[name]), renamedFrom: long.renamedFrom ?? name};
        const entries = Object.entries(members).map(([key, value]) => key === name ? [next, renamed] : [key, value]);
        for (const key of Object.keys(members)) delete members[key];
        Object.assign(members, Object.fromEntries(entries));
        draw();
    }

    async function ask(title, value = "") {
        return dialog(title, (close) => { const input = h("input", {$value: value, "aria-label": "Name", autofocus: true}); return h("form", {onsubmit: (event) => { event.preventDefault(); close(input.value.trim()); }}, input, h("div", {class: "buttons"}, h("button", {class: "primary"}, "OK"))); });
    }
    async function addEntity() { const name = await ask("Name of the entity"); if (name && !(name in version().entities)) { version().entities[name] = {attributes: {name: "String"}}; selected = name; draw(); } }
    async function renameEntity() {
        const name = await ask("New name", selected);
        const {entities} = version();
        if (!name || name in entities) return;
        const old = selected, shape = entities[old];
        shape.renamedFrom ??= old;
        delete entities[old];
        entities[name] = shape;
        for (const one of Object.values(entities)) {
            if (one.parent === old) one.parent = name;
            for (const [key, value] of Object.entries(one.relationships ?? {})) { const long = expandedRelationship(value); if (long.destination === old) { long.destination = name; one.relationships[key] = compactRelationship(long); } }
        }
        selected = name;
        draw();
    }
    async function removeEntity() { if (await confirm(`Remove ${selected}`, h("p", {}, "Its objects are lost when the change is applied, and relationships to it must be removed, too."), "Remove") === true) { delete version().entities[selected]; selected = Object.keys(version().entities)[0] ?? null; draw(); } }
    function addRelationship(entity) {
        const destination = selected, name = free(entity.relationships ??= {}, "relationship");
        entity.relationships[name] = `${destination}?`;
        draw();
    }

    function drawText() {
        const text = h("textarea", {class: "mono", rows: 24, spellcheck: "false", "aria-label": "The model as JSON", $value: JSON.stringify(edited, null, 2)});
        text.addEventListener("change", () => {
            try { const next = readJSON(text.value); for (const key of Object.keys(edited)) delete edited[key]; Object.assign(edited, next); show(result); }
            catch (error) { show(result, problem(error)); }
        });
        show(content, text);
    }

    async function rehearse(isTrial) {
        show(result, h("p", {class: "quiet"}, isTrial ? "Finding out what would happen …" : "Changing the model …"));
        try {
            const answer = await send("/api/model" + (isTrial ? "?dryRun=true" : ""), {method: "POST", body: edited});
            show(result, h("div", {class: "card"}, h("h2", {}, isTrial ? "This would happen" : "The model was changed"), h("pre", {class: "json"}, json(answer.value))),
                isTrial ? h("div", {class: "buttons"}, h("button", {class: "primary", onclick: async () => { if (await confirm("Apply the model", h("p", {}, "The stores are migrated. Keep a backup."), "Apply") === true) rehearse(false); }}, "Apply it")) : null);
            if (!isTrial) { await model.read(); toast("The new model is served."); }
        } catch (error) {
            show(result, problem(error), error.status === 403 || error.status === 404 || error.status === 405 ? h("p", {class: "quiet"}, "The server changes its model only with ", h("code", {}, "--allow-model-changes"), ", and for those who administer. Download the document, and give it to ", h("code", {}, "outcrop migrate"), ".") : null);
        }
    }

    draw();
    return h("div", {}, h("div", {class: "row"}, h("button", {class: "small", onclick: (event) => { isText = !isText; event.target.textContent = isText ? "As forms" : "As JSON"; draw(); }}, "As JSON"),
        h("button", {class: "small", onclick: () => show(result, h("h2", {}, "Differences to the served model"), differences(currentVersion(model.document), version()))}, "Differences"),
        h("button", {class: "small", onclick: () => rehearse(true)}, "Dry run"), h("button", {class: "small", onclick: () => download(new Blob([JSON.stringify(edited, null, 2)], {type: "application/json"}), "Model.json")}, "Download as JSON"),
        h("button", {class: "small", onclick: async () => { const {archive} = await import("./xcode.js"); download(archive(version(), model.title || "Model"), `${model.title || "Model"}.xcdatamodeld.tar`); }}, "Download for Xcode")), result, content);
}

function free(members, name) { let number = 1; while (`${name}${number}` in members) number += 1; return `${name}${number}`; }

export function expanded(value) {
    const long = typeof value === "string" ? {type: value} : {...value};
    if (long.composite !== undefined && long.type === undefined) { long.type = long.composite; delete long.composite; }
    const isOptional = long.optional ?? String(long.type).endsWith("?");
    return {...long, type: String(long.type).replace(/\?$/, ""), optional: isOptional};
}

function compact({optional, type, ...rest}) {
    const short = type + (optional ? "?" : "");
    return Object.keys(rest).length === 0 ? short : {type: short, ...rest};
}

export function expandedRelationship(value) {
    const short = typeof value === "string" ? /^(\[?)([^\].?]+)\]?(\??)(?:\.(.+))?$/.exec(value) : null;
    const long = short === null ? {...value} : {};
    const destination = short === null ? String(long.toMany ?? long.to ?? "") : short[2] + short[3];
    const isToMany = short === null ? long.toMany !== undefined : short[1] === "[";
    const {toMany, to, optional, ordered, ...rest} = long;
    return {...rest, destination: destination.replace(/\?$/, ""), isToMany, isOptional: optional ?? (isToMany || destination.endsWith("?")), isOrdered: ordered === true, inverse: short === null ? long.inverse : short[4]};
}

export function compactRelationship({destination, isToMany, isOptional, isOrdered, inverse, deleteRule, ...rest}) {
    return {...(isToMany ? {toMany: destination} : {to: destination}), optional: isOptional, ...(inverse ? {inverse} : {}), ...(isOrdered ? {ordered: true} : {}), ...(deleteRule && deleteRule !== "nullify" ? {deleteRule} : {}), ...rest};
}

function expandedAny(value) {
    if (typeof value !== "string") return value;
    return /^\[|\./.test(value) ? compactRelationship(expandedRelationship(value)) : expanded(value);
}
