// SPDX-License-Identifier: Apache-2.0

// The page Model: the diagram, the entities, the differences between versions, the editor and the document; or the page
// of an entity.

import {dataPath, get} from "../api.js";
import {h, show} from "../dom.js";
import {json, number} from "../format.js";
import {writeJSON} from "../json.js";
import {model} from "../model.js";
import {go} from "../navigation.js";
import {copyButton, download, table, tabs} from "../widgets.js";
import {diagram} from "./diagram.js";
import {ModelEditor} from "./editor.js";
import {entityPage} from "./entity.js";
import {versions} from "./versions.js";

const HEADS = ["Entity", "Parent", "Attributes", "Relationships", "Unique", "Objects"];
const PANELS = ["diagram", "entities", "versions", "edit", "json"];

/** @param {import("../navigation.js").Place} place @returns {Promise<import("../navigation.js").Page>} */
export async function page({parts: [name = "diagram"]}) {
    const heading = h("div", {class: "heading"}, h("h1", {}, "Model"));
    if (model.document === null) {
        const text = h("p", {class: "quiet"}, "You may not see the model.");
        return {title: "Model", element: h("div", {class: "page"}, heading, text)};
    }
    const entity = PANELS.includes(name) ? null : model.find(name);
    if (entity !== null) return {title: entity.name, element: h("div", {class: "page"}, entityPage(entity, count))};
    let editor = null;
    const makeEditor = () => {
        editor = new ModelEditor();
        return editor.element;
    };
    return {
        title: "Model", element: h("div", {class: "page"}, heading, panels(name, makeEditor)),
        isEdited: () => editor !== null && editor.isEdited,
    };
}

function panels(name, makeEditor) {
    return tabs("Model", [
        ["Diagram", () => diagram((entity) => go(`#/model/${entity.name}`))], ["Entities", () => entities()],
        ["Versions", () => versions()], ["Edit", makeEditor], ["JSON", () => documentPanel()],
    ], {
        selected: Math.max(0, PANELS.indexOf(name)),
        changed: (index) => history.replaceState(null, "", `#/model/${PANELS[index]}`),
    });
}

function entities() {
    const names = (properties) => properties.map((property) => property.name).join(", ");
    const rows = model.entities.map((entity) => [
        [h("a", {href: `#/model/${entity.name}`}, entity.name), entity.isAbstract ? " (abstract)" : null],
        entity.parentName ?? "", names(entity.attributes), names(entity.relationships),
        (entity.shape.unique ?? []).flat().join(", "), count(entity),
    ]);
    return table(HEADS, rows, "Entities");
}

/** How many objects an entity has, when that has come. */
function count(entity) {
    const element = h("span", {class: "number"}, "…");
    get(`${dataPath(entity.path)}?result=count`).then(
        (answer) => show(element, number(answer.count)), () => show(element, "–"),
    );
    return element;
}

function documentPanel() {
    const text = writeJSON(model.document, "");
    const save = () => download(new Blob([text], {type: "application/json"}), "Model.json");
    const tools = h("div", {class: "row"}, copyButton(text),
        h("button", {type: "button", class: "small", onclick: save}, "Download"),
        h("span", {class: "quiet"}, h("code", {}, "outcrop model convert Model.json -o Model.xcdatamodeld"),
            " writes it for Xcode"));
    return h("div", {}, tools, h("pre", {class: "json card"}, json(model.document)));
}
