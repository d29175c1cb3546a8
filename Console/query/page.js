// SPDX-License-Identifier: Apache-2.0

// The page Query: a fetch built by clicks or written, with its curl line, its Swift, its SQL and its result.

import {dataPath, get, query, send} from "../api.js";
import {chart} from "../chart.js";
import {curl} from "../curl.js";
import {h, show} from "../dom.js";
import {counted, json, shown} from "../format.js";
import {isNumber} from "../json.js";
import {memory} from "../memory.js";
import {model} from "../model.js";
import {predicateField} from "../predicatefield.js";
import {NUMBERS} from "../properties.js";
import {copyButton, problem, tabs} from "../widgets.js";
import {swiftFetch} from "./swift.js";

const FIELDS = ["sort", "limit", "select", "include", "group", "aggregate", "having"];
const HINTS = {
    sort: "-views,title", limit: "50", select: "title,author.name", include: "author,tags(limit=3)", group: "author.name", aggregate: "n:count(_id),views:sum(views)", having: "n > 3",
};

export async function page(place) {
    const {parameters} = place;
    const named = model.queries.find((one) => one.name === parameters.get("named")) ?? null;
    let entity = model.find(named?.entity ?? parameters.get("entity") ?? memory.get("entity")) ?? model.entities[0];
    const result = h("div", {"aria-live": "polite"});
    const where = predicateField(() => entity, parameters.get("where") ?? "", () => {});
    const inputs = Object.fromEntries(FIELDS.map((name) => [name, h("input", {"aria-label": name, placeholder: HINTS[name], $value: parameters.get(name) ?? (name === "limit" ? "50" : ""), onkeydown: (event) => { if (event.key === "Enter") run(); }, spellcheck: "false"})]));
    const search = h("input", {type: "search", "aria-label": "search", placeholder: "words", $value: parameters.get("search") ?? ""});
    const variables = (named?.variables ?? []).map((one) => [one.name, h("input", {"aria-label": one.name, placeholder: one.type, $value: parameters.get(one.name) ?? ""})]);
    const builder = h("div", {class: "row"});
    const choose = h("select", {"aria-label": "Entity", onchange: () => { if (choose.value.startsWith("query ")) location.hash = `#/query?named=${encodeURIComponent(choose.value.slice(6))}`; else { entity = model.find(choose.value); if (named !== null) location.hash = `#/query?entity=${entity.name}`; drawBuilder(); } }},
        h("optgroup", {label: "Entities"}, model.entities.map((one) => h("option", {value: one.name, selected: named === null && one === entity}, one.name))),
        model.queries.length === 0 ? null : h("optgroup", {label: "Named queries"}, model.queries.map((one) => h("option", {value: `query ${one.name}`, selected: one === named}, one.name))));

    /** Conditions, orders and sums by clicks; they are written into the fields. */
    function drawBuilder() {
        const attributes = entity.attributes.filter((one) => one.isStored && one.type !== "Binary");
        const add = (label, options, chosen) => h("select", {"aria-label": label, onchange: (event) => { if (event.target.value !== "") chosen(event.target.value); event.target.value = ""; }}, h("option", {value: ""}, label), options.map((one) => h("option", {value: one}, one)));
        const append = (input, text) => { input.value = input.value === "" ? text : `${input.value},${text}`; };
        show(builder,
            add("+ condition", attributes.map((one) => one.name), (name) => { where.input.value += `${where.input.value === "" ? "" : " AND "}${name} `; where.input.focus(); where.input.dispatchEvent(new Event("input")); }),
            add("+ order", attributes.flatMap((one) => [one.name, `-${one.name}`]), (name) => append(inputs.sort, name)),
            add("+ column", [...attributes.map((one) => one.name), ...entity.toOnes.map((one) => `${one.name}.${model.find(one.destination)?.naming?.name ?? "_id"}`)], (name) => append(inputs.select, name)),
            add("+ include", entity.relationships.map((one) => one.name), (name) => append(inputs.include, name)),
            add("+ group by", [...attributes.map((one) => one.name), ...entity.toOnes.map((one) => `${one.name}.${model.find(one.destination)?.naming?.name ?? "_id"}`)], (name) => { append(inputs.group, name); if (inputs.aggregate.value === "") inputs.aggregate.value = "n:count(_id)"; inputs.select.value = ""; inputs.include.value = ""; }),
            add("+ aggregate", ["n:count(_id)", ...attributes.filter((one) => NUMBERS.has(one.type)).flatMap((one) => ["sum", "average", "min", "max"].map((verb) => `${one.name}_${verb}:${verb}(${one.name})`))], (text) => append(inputs.aggregate, text)));
    }

    function parametersNow() {
        const isGrouped = inputs.group.value !== "" || inputs.aggregate.value !== "";
        return {where: where.input.value, search: search.value, ...Object.fromEntries(FIELDS.map((name) => [name, inputs[name].value])), ...Object.fromEntries(variables.map(([name, input]) => [name, input.value])), ...(isGrouped ? {result: "dictionary"} : {})};
    }
    const path = () => named === null ? dataPath(entity.path) : dataPath(`queries/${named.name}`);

    async function run() {
        const asked = parametersNow();
        history.replaceState(null, "", "#/query" + query({...(named === null ? {entity: entity.name} : {named: named.name}), ...asked, result: undefined}));
        show(result, h("p", {class: "quiet"}, "Fetching …"));
        try {
            const answer = await send(path() + query(asked));
            where.fail(null);
            const timing = answer.headers.get("Server-Timing") ?? "";
            const items = answer.value.items ?? [answer.value];
            show(result, h("p", {class: "row"}, h("span", {class: "badge good"}, `${counted(items.length, "row")}${answer.value.next ? ", and more" : ""}`), h("span", {class: "badge"}, `${answer.milliseconds.toFixed(1)} ms`), timing === "" ? null : h("span", {class: "quiet mono"}, timing)),
                tabs("Result", [["Table", () => table(items)], ["JSON", () => h("pre", {class: "json card"}, json(answer.value))], ["Chart", () => charts(items)], ["SQL and plan", () => plan(asked)],
                    ["curl", () => code(curl("GET", path(), asked))], ["Swift", () => code(swiftFetch(entity, asked))]], {selected: memory.get("query.tab", 0), changed: (index) => memory.set("query.tab", index)}));
        } catch (error) { where.fail(error.code === "predicate" ? error : null); show(result, problem(error)); }
    }

    function plan(asked) {
        const element = h("div", {}, h("p", {class: "quiet"}, "…"));
        get(path() + query({...asked, explain: "true"})).then((answer) => show(element, (answer.items ?? []).map((item) => h("div", {class: "card"}, h("pre", {class: "mono"}, item.sql), item.bindings?.length ? h("p", {}, "Bindings: ", h("code", {}, JSON.stringify(item.bindings))) : null, h("ul", {}, (item.plan ?? []).map((line) => h("li", {}, h("code", {}, line)))),
            item.usesIndex === undefined ? null : h("span", {class: item.usesIndex ? "badge good" : "badge warn"}, item.usesIndex ? "uses an index" : "reads the whole table"), (item.evaluatedInMemory ?? []).length > 0 ? h("p", {}, "Evaluated in memory: ", item.evaluatedInMemory.join(", ")) : null))), (error) => show(element, problem(error)));
        return element;
    }

    drawBuilder();
    const fields = [["Sort", inputs.sort], ["Limit", inputs.limit], ["Select", inputs.select], ["Include", inputs.include], ["Group", inputs.group], ["Aggregate", inputs.aggregate], ["Having", inputs.having], ["Search", search]];
    const element = h("div", {class: "page"}, h("div", {class: "heading"}, h("h1", {}, "Query"), h("span", {}, choose), named === null ? null : h("code", {}, named.predicate), h("span", {class: "spring"}), h("button", {class: "primary", "data-key": "r", onclick: run}, "Run")),
        h("div", {class: "card"}, variables.length === 0 ? null : h("div", {class: "cards"}, variables.map(([name, input]) => h("label", {}, `$${name}`, input))), where.element, where.failure, builder, h("div", {class: "cards querying"}, fields.map(([name, input]) => h("label", {}, h("span", {class: "quiet"}, name), input)))), result);
    return {title: "Query", element, shown: () => { if (parameters.size > 0) run(); }};
}

/** The rows as a table: columns are the keys of objects, and included objects show their titles. */
export function table(items) {
    if (items.length === 0) return h("p", {class: "quiet"}, "There are no rows.");
    const keys = [...new Set(items.flatMap((item) => Object.keys(item)))].filter((key) => !["_entity", "_version"].includes(key));
    const cell = (item, key) => {
        const value = item[key];
        if (Array.isArray(value)) return value.map((one, place) => [place > 0 ? ", " : "", typeof one === "object" || /\//.test(one) ? shown(one, {kind: "relationship"}) : String(one)]);
        const property = model.find(item._entity)?.property(key);
        if (key === "_id" || property?.kind === "relationship" || (value !== null && typeof value === "object" && value._id)) return shown(value, {kind: "relationship"});
        return shown(value, property);
    };
    return h("div", {class: "scroll"}, h("table", {class: "plain"}, h("thead", {}, h("tr", {}, keys.map((key) => h("th", {}, key)))), h("tbody", {}, items.map((item) => h("tr", {}, keys.map((key) => h("td", {}, cell(item, key))))))));
}

/** A chart of the first number of each row over its first other value. */
function charts(items) {
    const first = items[0] ?? {};
    const numbers = Object.keys(first).filter((key) => !key.startsWith("_") && items.some((item) => isNumber(item[key])));
    const labels = Object.keys(first).filter((key) => key !== "_entity" && key !== "_version");
    if (numbers.length === 0) return h("p", {class: "quiet"}, "There are no numbers to draw. Group by something, and count.");
    const select = (label, options, chosen) => h("select", {"aria-label": label, onchange: draw}, options.map((one) => h("option", {value: one, selected: one === chosen}, one)));
    const kind = select("Kind of chart", ["bars", "line", "points"], "bars"), value = select("Value", numbers, numbers.find((one) => one !== labels[0]) ?? numbers[0]), over = select("Over", labels, labels.find((one) => !numbers.includes(one)) ?? labels[0]);
    const place = h("div");
    function draw() {
        const text = (one) => one === null || one === undefined ? "nil" : typeof one === "object" ? one._id ?? JSON.stringify(one) : String(one);
        show(place, chart(kind.value, items.filter((item) => isNumber(item[value.value])).slice(0, 400).map((item) => ({label: text(item[over.value]), value: Number(String(item[value.value])), x: isNumber(item[over.value]) ? Number(String(item[over.value])) : undefined})), `${value.value} over ${over.value}`));
    }
    draw();
    return h("div", {}, h("div", {class: "row"}, h("span", {}, kind), h("span", {}, value), "over", h("span", {}, over)), place);
}

function code(text) { return h("div", {}, h("pre", {class: "card mono"}, text), copyButton(text)); }
