// SPDX-License-Identifier: Apache-2.0

// The page of the API's reference: its OpenAPI document, by entity.

import {get} from "../api.js";
import {h} from "../dom.js";
import {operationCard} from "./operation.js";
import {Schemas} from "./schemas.js";

const METHODS = ["get", "post", "put", "patch", "delete"];

/** @param {import("../navigation.js").Place} place @returns {Promise<import("../navigation.js").Page>} */
export async function page({parts: [name]}) {
    const openapi = await get("/openapi.json");
    const schemas = new Schemas(openapi);
    const groups = groupsOf(openapi);
    const selected = groups.has(name) ? name : groups.keys().next().value;
    const cards = groups.get(selected).map((operation) => operationCard(operation, schemas));
    const content = h("div", {class: "page"},
        h("div", {class: "heading"}, h("h1", {}, selected), h("span", {class: "spring"}),
            h("a", {href: "/openapi.json"}, "openapi.json")), cards);
    return {
        title: "API reference",
        element: h("div", {class: "reference"}, navigation([...groups.keys()], selected), h("div", {}, content)),
    };
}

/** The operations by what they are about. @returns {Map<string, import("./operation.js").Operation[]>} */
function groupsOf({paths}) {
    const operations = Object.entries(paths).flatMap(([path, item]) => METHODS.filter((method) => method in item)
        .map((method) => ({path, method, shape: item[method], shared: item.parameters ?? []})));
    return Map.groupBy(operations, ({path, shape}) => shape.tags?.[0] ?? path.split("/")[2] ?? "Server");
}

function navigation(names, selected) {
    const link = (name) => h("a", {
        href: `#/reference/${encodeURIComponent(name)}`, "aria-current": name === selected ? "page" : null,
    }, name);
    return h("nav", {"aria-label": "Groups"}, h("h2", {}, "API reference"), names.map(link));
}
