// SPDX-License-Identifier: Apache-2.0

// The page of the API's reference: its OpenAPI document, by entity.

import {get} from "../api.js";
import {curl} from "../curl.js";
import {h, show} from "../dom.js";
import {json} from "../format.js";
import {copyButton} from "../widgets.js";

export async function page(place) {
    const document = await get("/openapi.json");
    const resolve = (value) => value?.$ref === undefined ? value : value.$ref.slice(2).split("/").reduce((at, part) => at?.[part.replaceAll("~1", "/")], document);
    const groups = new Map();
    for (const [path, item] of Object.entries(document.paths)) {
        for (const [method, operation] of Object.entries(item)) {
            if (!["get", "post", "put", "patch", "delete"].includes(method)) continue;
            const group = operation.tags?.[0] ?? path.split("/")[2] ?? "Server";
            groups.set(group, [...(groups.get(group) ?? []), {path, method, operation, shared: item.parameters ?? []}]);
        }
    }
    const selected = groups.has(place.parts[0]) ? place.parts[0] : [...groups.keys()][0];
    const content = h("div", {class: "page"}, h("div", {class: "heading"}, h("h1", {}, selected), h("span", {class: "spring"}), h("a", {href: "/openapi.json"}, "openapi.json")), (groups.get(selected) ?? []).map((one) => operation(one, resolve)));
    return {title: "API reference", element: h("div", {class: "reference"}, h("nav", {"aria-label": "Groups"}, h("h2", {}, "API reference"), [...groups.keys()].map((group) => h("a", {href: `#/reference/${encodeURIComponent(group)}`, "aria-current": group === selected ? "page" : null}, group))), h("div", {}, content))};
}

const COLOURS = {get: "good", post: "warn", put: "warn", patch: "warn", delete: "bad"};

function operation({path, method, operation: one, shared}, resolve) {
    const parameters = [...shared, ...(one.parameters ?? [])].map(resolve).filter(Boolean);
    const body = resolve(one.requestBody);
    const details = h("details", {class: "card"}, h("summary", {}, h("span", {class: `badge ${COLOURS[method]}`}, method.toUpperCase()), " ", h("code", {}, path), " ", h("span", {class: "quiet"}, one.summary ?? "")));
    details.addEventListener("toggle", () => {
        if (!details.open || details.childElementCount > 1) return;
        const bodies = Object.entries(body?.content ?? {});
        details.append(h("div", {}, one.description ? h("p", {}, one.description) : null,
            parameters.length === 0 ? null : h("table", {class: "plain"}, h("thead", {}, h("tr", {}, ["Parameter", "In", "Type", "What it does"].map((name) => h("th", {}, name)))), h("tbody", {}, parameters.map((parameter) => h("tr", {}, h("td", {}, h("code", {}, parameter.name), parameter.required ? " *" : ""), h("td", {}, parameter.in), h("td", {}, typeOf(resolve(parameter.schema), resolve)), h("td", {class: "quiet"}, parameter.description ?? ""))))),
            bodies.map(([type, content]) => [h("h3", {}, `Body: ${type}`), schema(content.schema, resolve)]),
            h("h3", {}, "Answers"), Object.entries(one.responses ?? {}).map(([status, response]) => { const answer = resolve(response), [type, content] = Object.entries(answer?.content ?? {})[0] ?? []; return h("details", {}, h("summary", {}, h("strong", {}, status), ` ${answer?.description ?? ""} `, h("span", {class: "quiet"}, type ?? "")), content?.schema ? schema(content.schema, resolve) : null); }),
            h("div", {class: "row"}, h("code", {class: "spring"}, curl(method.toUpperCase(), path, {}, null)), copyButton(curl(method.toUpperCase(), path, {}, null)))));
    });
    return details;
}

function typeOf(schema, resolve) {
    if (schema === undefined) return "";
    const type = [schema.type].flat().filter(Boolean).join(" or ") || (schema.anyOf ?? schema.oneOf ?? []).map((one) => typeOf(resolve(one), resolve)).join(" or ") || schema.title || "object";
    return schema.enum ? schema.enum.join(" | ") : schema.format ? `${type} (${schema.format})` : type;
}

/** The members of a schema; those of its members are opened one by one. */
function schema(value, resolve) {
    const one = resolve(value) ?? {};
    const named = value?.$ref?.split("/").pop();
    const members = Object.entries(one.properties ?? {});
    if (members.length === 0) {
        const parts = one.anyOf ?? one.oneOf ?? one.allOf ?? (one.items ? [one.items] : []);
        if (parts.length === 0) return h("pre", {class: "json"}, json(one));
        const element = h("details", {}, h("summary", {}, one.items ? "a list of" : one.allOf ? "all of" : "one of", " ", parts.map((part) => part.$ref?.split("/").pop() ?? typeOf(resolve(part), resolve)).join(", ")));
        element.addEventListener("toggle", () => { if (element.open && element.childElementCount === 1) element.append(...parts.map((part) => schema(part, resolve))); });
        return element;
    }
    const required = new Set(one.required ?? []);
    return h("table", {class: "plain"}, named ? h("caption", {class: "quiet"}, named) : null, h("tbody", {}, members.map(([name, member]) => {
        const inner = resolve(member);
        const cell = h("td");
        if (inner?.properties || inner?.items || inner?.anyOf) {
            const more = h("details", {}, h("summary", {}, member.$ref?.split("/").pop() ?? typeOf(inner, resolve)));
            more.addEventListener("toggle", () => { if (more.open && more.childElementCount === 1) more.append(schema(member, resolve)); });
            show(cell, more);
        } else show(cell, typeOf(inner, resolve));
        return h("tr", {}, h("td", {}, h("code", {}, name), required.has(name) ? " *" : ""), cell, h("td", {class: "quiet"}, inner?.description ?? ""));
    })));
}
