// SPDX-License-Identifier: Apache-2.0

// What the middle of the page shows: entities, their objects, one object.
"use strict";

function showNavigation(current) {
    const list = document.getElementById("entities");
    list.replaceChildren(make("h2", {}, "Entities"), ...catalogue.entities.map((entity) => make("a", {
        href: `#/entity/${entity.path}`,
        class: [entity.depth > 0 ? "below" : "", entity.isAbstract ? "abstract" : ""].join(" ").trim() || null,
        "aria-current": entity === current ? "page" : null,
    }, entity.name)));
    if (catalogue.queries.length > 0) {
        list.append(make("h2", {}, "Queries"), ...catalogue.queries.map((query) => make("a", {
            href: "#/", onclick: async () => prepare({method: "GET", target: await queryTarget(query)}),
        }, query.name)));
    }
}

/** Where a query is asked, with a value for each of its variables, to be replaced. */
async function queryTarget(query) {
    const values = query.variables.map(async (variable) => {
        const value = await listed(catalogue.find(variable.type)) ?? sampleValue(variable);
        return [variable.name, variable.isList ? writeJSON([value]) : value];
    });
    return splitTarget(query.href)[0] + queryText(Object.fromEntries(await Promise.all(values)));
}

/** What there is to see where nothing is. */
function showMissing(text) {
    showNavigation(null);
    show(make("h1", {}, "Nothing is here"), make("div", {class: "problem", role: "alert"}, text), make("p", {}, make("a", {href: "#/"}, "What is served")));
}

function showStart() {
    showNavigation(null);
    const rows = catalogue.entities.map((entity) => {
        const count = make("td", {class: "number"}, "…");
        fetchJSON(`${entity.href}?result=count`).then((answer) => { count.textContent = answer.count; }, () => { count.textContent = ""; });
        return make("tr", {},
            make("td", {}, make("a", {href: `#/entity/${entity.path}`}, entity.name), entity.isAbstract ? make("span", {class: "mark"}, "abstract") : null),
            make("td", {}, make("code", {}, entity.href)), count,
            make("td", {class: "wrap"}, entity.relationships.map((property) => property.name).join(", ")));
    });
    show(
        make("h1", {}, "What is served"),
        make("p", {class: "quiet"}, "Every entity of the model is a resource. Choose one, or try a request on the right."),
        table(["Entity", "Path", "Objects", "Relationships"], rows),
        make("h3", {}, "To begin with"),
        table(["Request", "Does"], startRequests().map(([method, target, text, body]) => routeRow(method, target, text, body)), "routes"),
    );
}

function startRequests() {
    const entity = catalogue.entities.find((entity) => !entity.isAbstract) ?? catalogue.entities[0];
    const requests = [["GET", "/api", "what is here"], ["GET", "/api/stats", "counters and timings"], ["GET", "/openapi.json", "the API for generators"]];
    return entity === undefined ? requests : [["GET", `${entity.href}?limit=5`, `five of ${entity.name}`], ...requests];
}

const tabs = [["", "Objects"], ["properties", "Properties"], ["routes", "Routes"]];

function isTab(name) { return tabs.some(([tab]) => tab === name); }

/** An entity, with one of three tabs. */
async function showEntity(entity, tab, parameters, isNew) {
    showNavigation(entity);
    const path = `#/entity/${entity.path}`;
    const shown = location.hash;
    const links = make("div", {class: "tabs"}, tabs.map(([name, text]) =>
        make("a", {href: name === "" ? path : `${path}/${name}`, "aria-current": tab === name ? "page" : null}, text)));
    const head = [make("h1", {}, entity.name), make("span", {class: "quiet"}, entity.above === null ? entity.href : `${entity.href}, a kind of ${entity.above.name}`), links];
    if (tab === "properties") show(...head, propertyTable(entity));
    else if (tab === "routes") {
        const table = await routeTable(entity);
        if (location.hash === shown) show(...head, table);
    } else {
        const target = parameters.get("page") ?? entity.href + queryText({where: parameters.get("where"), sort: parameters.get("sort"), limit: 25, count: "true"});
        if (isNew) prepare({method: "GET", target});
        // The following pages have the filter in their targets.
        const filter = filterForm(entity, new URLSearchParams(splitTarget(target)[1]));
        show(...head, filter, make("p", {class: "quiet"}, "Reading…"));
        const body = await objectTable(entity, target);
        if (location.hash === shown) show(...head, filter, body);
    }
}

function filterForm(entity, parameters) {
    const where = make("input", {value: parameters.get("where") ?? "", placeholder: `where, such as ${sampleCondition(entity)}`, "aria-label": "Condition", spellcheck: "false"});
    const sort = make("input", {value: parameters.get("sort") ?? "", placeholder: "sort: -name,title", "aria-label": "Order", spellcheck: "false"});
    return make("form", {class: "filter", onsubmit: (event) => {
        event.preventDefault();
        const items = new URLSearchParams();
        if (where.value.trim() !== "") items.set("where", where.value.trim());
        if (sort.value.trim() !== "") items.set("sort", sort.value.trim());
        location.hash = `#/entity/${entity.path}${items.size > 0 ? "?" + items : ""}`;
    }}, where, sort, make("button", {type: "submit"}, "Fetch"));
}

function sampleCondition(entity) {
    const text = entity.attributes.find((property) => property.type === "String" && property.isShown);
    return text === undefined ? "SELF != nil" : `${text.name} BEGINSWITH[cd] "a"`;
}

async function objectTable(entity, target) {
    const response = await fetch(target, {headers: {Accept: "application/json"}});
    const answer = readJSON(await response.text());
    if (!response.ok) return problem(answer);
    const keys = [...new Set(answer.items.flatMap((object) => Object.keys(object)))].filter((key) => !["_id", "_version"].includes(key) && (key !== "_entity" || entity.isAbstract));
    const rows = answer.items.map((object) => make("tr", {class: "open", onclick: (event) => { if (event.target.tagName !== "A") location.hash = `#/object/${object._id}`; }},
        make("td", {}, make("a", {href: `#/object/${object._id}`}, object._id.split("/")[1])), keys.map((key) => valueCell(object[key], kindOf(object, entity).property(key)))));
    const total = answer.total === undefined ? "" : `${answer.total} in all`;
    const more = answer.next === null ? null : make("a", {href: `#/entity/${entity.path}?page=${encodeURIComponent(answer.next)}`}, "Next page");
    if (rows.length === 0) return make("p", {class: "quiet"}, "No object answers to this.");
    return make("div", {}, table(["_id", ...keys], rows), make("div", {class: "pager quiet"}, total, more));
}

async function showObject(entity, id, isNew) {
    showNavigation(entity);
    const reference = `${entity.path}/${id}`;
    const target = `${entity.href}/${encodeURIComponent(id)}`;
    if (isNew) prepare({method: "GET", target});
    const response = await fetch(target, {headers: {Accept: "application/json"}});
    const object = readJSON(await response.text());
    if (!response.ok) return show(make("h1", {}, reference), problem(object));
    const own = kindOf(object, entity);
    const many = own.relationships.filter((property) => property.isToMany);
    show(
        make("h1", {}, reference),
        make("p", {class: "quiet"}, `${object._entity}, version ${object._version}`),
        table(["Property", "Value"], Object.entries(object).filter(([key]) => !["_id", "_entity", "_version"].includes(key)).map(([key, value]) => make("tr", {}, make("td", {}, key), valueCell(value, own.property(key), true)))),
        many.length === 0 ? null : make("h3", {}, "Related"),
        many.length === 0 ? null : make("p", {class: "buttons"}, many.map((property) => make("button", {class: "plain", onclick: () => send({method: "GET", target: `${target}/${property.name}`})}, property.name))),
        make("h3", {}, "Change it"),
        make("p", {class: "buttons"},
            make("button", {class: "plain", onclick: () => prepare({method: "PATCH", target, body: writeJSON(writable(own, object), ""), fields: `If-Match: "${object._version}"`})}, "Edit"),
            make("button", {class: "plain", onclick: () => prepare({method: "DELETE", target: `${target}?dryRun=true`})}, "See what deleting would do"),
            make("button", {class: "plain", onclick: () => prepare({method: "DELETE", target})}, "Delete")),
    );
}

/** The entity of an object, which may be one below that of its path. */
function kindOf(object, entity) { return catalogue.find(object._entity) ?? entity; }

function writable(entity, object) {
    const names = new Set(entity.properties.filter((property) => property.kind === "relationship" ? !property.isToMany : property.isWritable && property.type !== "Binary").map((property) => property.name));
    return Object.fromEntries(Object.entries(object).filter(([key]) => names.has(key)));
}

function valueCell(value, property, isWhole = false) {
    if (value === null || value === undefined) return make("td", {class: "nil"}, "nil");
    if (isNumber(value)) return make("td", {class: isWhole ? null : "number"}, String(value));
    if (property?.kind === "relationship" && typeof value === "string") return make("td", {}, make("a", {href: `#/object/${value}`}, value));
    // What a client has stored is no link, whatever it looks like.
    if (property?.type === "Binary" && value.href?.startsWith("/api/")) return make("td", {}, make("a", {href: value.href}, `${value.bytes} bytes`));
    return make("td", {class: isWhole ? "wrap" : null}, typeof value === "string" ? value : writeJSON(value));
}

function propertyTable(entity) {
    return table(["Property", "Type", "About it"], entity.properties.map((property) => make("tr", {},
        make("td", {}, property.name),
        make("td", {}, property.kind === "attribute" ? property.type + (property.isOptional ? "?" : "") : entityLink(property)),
        make("td", {class: "wrap"}, property.notes.map((note) => make("span", {class: "mark"}, note))))));
}

function entityLink(property) {
    const other = catalogue.find(property.entity ?? "");
    const text = property.isToMany || property.kind === "fetched" ? `[${property.entity}]` : property.entity + (property.isOptional ? "?" : "");
    return other === null ? text : make("a", {href: `#/entity/${other.path}`}, text);
}

async function routeTable(entity) {
    const href = entity.href;
    const object = `/api/${await listed(entity) ?? `${entity.path}/1`}`;
    const sample = JSON.stringify(await sampleObject(entity), null, 2);
    const rows = [["GET", `${href}?limit=5`, "fetch"], ["GET", `${href}?result=count`, "count"], ["GET", `${href}?explain=true`, "how a fetch is done"]];
    if (!entity.isAbstract) rows.push(["POST", href, "create", sample], ["POST", `${href}/batch-insert`, "insert many, directly into the store", `[${sample}]`]);
    rows.push(
        ["GET", object, "one object"], ["PATCH", object, "change some of it", sample], ["PUT", object, "replace it", sample],
        ["DELETE", `${object}?dryRun=true`, "what deleting would do"], ["DELETE", object, "delete it"],
        ["POST", `${href}/fetch`, "fetch, with options in the body", JSON.stringify({where: sampleCondition(entity), limit: 5}, null, 2)],
        ["POST", `${href}/batch-update`, "change many in the store", JSON.stringify({where: "FALSEPREDICATE", set: sampleChange(entity)}, null, 2)],
        ["POST", `${href}/batch-delete`, "delete many in the store", JSON.stringify({where: "FALSEPREDICATE"}, null, 2)],
    );
    for (const property of entity.relationships) rows.push(["GET", `${object}/${property.name}`, property.isToMany ? "the related objects" : "the related object"]);
    return table(["Request", "Does"], rows.map((row) => routeRow(...row)), "routes");
}

/** A reference to the first object of an entity, if it has one. */
async function listed(entity) {
    if (entity === null) return undefined;
    return fetchJSON(`${entity.href}?limit=1&result=ids`).then((answer) => answer.items[0], () => undefined);
}

/** What an object must have at least. */
async function sampleObject(entity) {
    const values = entity.attributes.filter((property) => property.isWritable && !property.isOptional).map((property) => [property.name, sampleValue(property)]);
    const ends = entity.relationships.filter((property) => !property.isToMany && !property.isOptional)
        .map(async (property) => [property.name, await listed(catalogue.find(property.entity)) ?? null]);
    return Object.fromEntries([...values, ...await Promise.all(ends)]);
}

/** A change that every object can bear, where there is one: of the attribute that has the fewest conditions. */
function sampleChange(entity) {
    const attributes = entity.attributes.filter((property) => property.isWritable).sort((one, other) => one.notes.length - other.notes.length);
    return Object.fromEntries(attributes.slice(0, 1).map((property) => [property.name, property.isOptional && property.notes.length > 0 ? null : sampleValue(property)]));
}

function sampleValue(property) {
    const samples = {String: "text", Any: "text", Bool: true, Date: new Date().toISOString(), Decimal: "1.50", UUID: "00000000-0000-4000-8000-000000000000", URI: "https://example.org/", Binary: "AAAA"};
    return samples[property.type] ?? (/^(Int|Double|Float)/.test(property.type) ? 1 : {});
}

function routeRow(method, target, text, body) {
    const button = make("button", {class: "plain", onclick: () => prepare({method, target, body})}, `${method} ${target}`);
    return make("tr", {}, make("td", {}, button), make("td", {class: "wrap"}, text));
}

function table(heads, rows, name = null) {
    return make("div", {class: "scroll"}, make("table", {class: name}, make("thead", {}, make("tr", {}, heads.map((head) => make("th", {}, head)))), make("tbody", {}, rows)));
}

function problem(document) {
    return make("div", {class: "problem", role: "alert"}, make("strong", {}, document.title ?? "It failed"), make("div", {}, document.detail ?? ""),
        document.hint === undefined ? null : make("div", {class: "quiet"}, document.hint),
        (document.errors ?? []).map((error) => make("div", {}, [error.object, error.property, error.message].filter(Boolean).join(": "))));
}

function show(...children) { document.getElementById("main").replaceChildren(...children.filter((child) => child !== null)); }
