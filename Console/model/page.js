// SPDX-License-Identifier: Apache-2.0

// The page Model: the diagram, an entity's page, the differences between versions, and the editor.

import {dataPath, get} from "../api.js";
import {h, show} from "../dom.js";
import {json, number} from "../format.js";
import {model} from "../model.js";
import {ruleTexts} from "../properties.js";
import {copyButton, download, tabs} from "../widgets.js";
import {diagram} from "./diagram.js";
import {differences} from "./differences.js";
import {modelEditor} from "./editor.js";

export async function page(place) {
    const entity = model.find(place.parts[0] ?? "");
    if (model.document === null) return {title: "Model", element: h("div", {class: "page"}, h("h1", {}, "Model"), h("p", {class: "quiet"}, "You may not see the model."))};
    const name = place.parts[0] ?? "diagram";
    const names = ["diagram", "entities", "versions", "edit", "json"];
    const panels = tabs("Model", [
        ["Diagram", () => diagram((one) => { location.hash = `#/model/${one.name}`; })], ["Entities", () => table()],
        ["Versions", () => versions()], ["Edit", () => modelEditor()], ["JSON", () => document_()],
    ], {selected: Math.max(0, names.indexOf(name)), changed: (index) => { if (names.includes(name)) history.replaceState(null, "", `#/model/${names[index]}`); }});
    const element = h("div", {class: "page"}, entity === null ? [h("div", {class: "heading"}, h("h1", {}, "Model")), panels] : entityPage(entity));
    return {title: entity?.name ?? "Model", element};
}

function table() {
    return h("div", {class: "scroll"}, h("table", {class: "plain"}, h("thead", {}, h("tr", {}, ["Entity", "Parent", "Attributes", "Relationships", "Unique", "Objects"].map((one) => h("th", {}, one)))),
        h("tbody", {}, model.entities.map((entity) => h("tr", {}, h("td", {}, h("a", {href: `#/model/${entity.name}`}, entity.name), entity.isAbstract ? h("span", {class: "quiet"}, " abstract") : null), h("td", {}, entity.parentName ?? ""),
            h("td", {}, entity.attributes.map((one) => one.name).join(", ")), h("td", {}, entity.relationships.map((one) => one.name).join(", ")), h("td", {}, (entity.shape.unique ?? []).flat().join(", ")), h("td", {class: "number"}, count(entity)))))));
}

function count(entity) {
    const element = h("span", {}, "…");
    get(dataPath(entity.path) + "?result=count").then((answer) => show(element, number(answer.count)), () => show(element, "–"));
    return element;
}

function entityPage(entity) {
    const {shape} = entity;
    const facts = [["Path", `/api/${entity.path}`], ["Parent", entity.parentName], ["Class", shape.class], ["Renamed from", shape.renamedFrom], ["Unique", (shape.unique ?? []).map((one) => [one].flat().join(" + ")).join(", ")]].filter(([, value]) => value);
    return [
        h("div", {class: "heading"}, h("a", {href: "#/model"}, "Model"), h("span", {class: "quiet"}, "/"), h("h1", {}, entity.name), entity.isAbstract ? h("span", {class: "badge"}, "abstract") : null, h("span", {class: "badge"}, count(entity), " objects"), h("span", {class: "spring"}), h("a", {class: "button", href: `#/data/${entity.name}`}, "Open its data")),
        h("div", {class: "columns2"}, h("div", {},
            h("h2", {}, "Attributes"), h("div", {class: "scroll"}, h("table", {class: "plain"}, h("thead", {}, h("tr", {}, ["Name", "Type", "Rules"].map((one) => h("th", {}, one)))), h("tbody", {}, entity.attributes.map((one) => h("tr", {}, h("td", {}, one.name, entity.ownAttributes.includes(one) ? null : h("span", {class: "quiet"}, " inherited")), h("td", {}, h("code", {}, one.type + (one.isOptional ? "?" : ""))), h("td", {class: "quiet"}, ruleTexts(one).join(" · "))))))),
            h("h2", {}, "Relationships"), h("div", {class: "scroll"}, h("table", {class: "plain"}, h("thead", {}, h("tr", {}, ["Name", "Destination", "Inverse", "On delete", "Rules"].map((one) => h("th", {}, one)))), h("tbody", {}, entity.relationships.map((one) => h("tr", {}, h("td", {}, one.name), h("td", {}, h("a", {href: `#/model/${one.destination}`}, one.isToMany ? `[${one.destination}]` : one.destination + (one.isOptional ? "?" : ""))), h("td", {}, one.inverse ?? ""), h("td", {}, one.deleteRule), h("td", {class: "quiet"}, ruleTexts(one).filter((rule) => !rule.startsWith("on delete")).join(" · "))))))),
            entity.fetchedProperties.length === 0 ? null : [h("h2", {}, "Fetched properties"), entity.fetchedProperties.map((one) => h("p", {}, h("strong", {}, one.name), ` ${one.destination}: `, h("code", {}, one.predicate)))]),
        h("div", {}, h("h2", {}, "About it"), h("table", {class: "plain"}, h("tbody", {}, facts.map(([name, value]) => h("tr", {}, h("th", {scope: "row"}, name), h("td", {}, value))))),
            shape.indexes === undefined ? null : [h("h2", {}, "Indexes"), h("table", {class: "plain"}, h("tbody", {}, Object.entries(shape.indexes).map(([name, value]) => h("tr", {}, h("th", {scope: "row"}, name), h("td", {}, h("code", {}, Array.isArray(value) ? value.join(", ") : JSON.stringify(value)))))))],
            entity.subentities.length === 0 ? null : [h("h2", {}, "Entities below it"), h("p", {}, entity.subentities.map((child) => [h("a", {href: `#/model/${child.name}`}, child.name), " "]))],
            h("h2", {}, "Named queries"), model.queries.filter((one) => one.entity === entity.name).map((one) => h("p", {}, h("a", {href: `#/query?named=${encodeURIComponent(one.name)}`}, one.name), " ", h("code", {}, one.predicate))))),
    ];
}

function versions() {
    const all = Object.entries(model.document.versions ?? {});
    if (all.length < 2) return h("p", {class: "quiet"}, "The server knows one version of the model. Edit it to see the differences to the edited one, and compare files with ", h("code", {}, "outcrop model diff OLD NEW"), ".");
    const choose = (selected) => h("select", {"aria-label": "Version", onchange: draw}, all.map(([name]) => h("option", {value: name, selected: name === selected}, name)));
    const from = choose(all[0][0]), to = choose(all.at(-1)[0]), result = h("div");
    function draw() { show(result, differences(model.document.versions[from.value], model.document.versions[to.value])); }
    queueMicrotask(draw);
    return h("div", {}, h("div", {class: "row"}, h("span", {}, from), "→", h("span", {}, to)), result);
}

function document_() {
    const text = JSON.stringify(model.document, null, 2);
    return h("div", {}, h("div", {class: "row"}, copyButton(text), h("button", {class: "small", onclick: () => download(new Blob([text], {type: "application/json"}), "Model.json")}, "Download"), h("span", {class: "quiet"}, h("code", {}, "outcrop model convert Model.json -o Model.xcdatamodeld"), " writes it for Xcode")), h("pre", {class: "json card"}, json(model.document)));
}
