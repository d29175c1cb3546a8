// SPDX-License-Identifier: Apache-2.0

// The page Data: a table for each entity.

import {APIError, dataPath, fetched, get, query, send, session} from "./api.js";
import {batchDelete, batchUpdate} from "./batches.js";
import {debounced, h, memory, show} from "./dom.js";
import {editor} from "./editors.js";
import {counted, curl, isNumeric, number, shown, titleOf} from "./format.js";
import {makeGrid} from "./grid.js";
import {importFile} from "./importing.js";
import {model} from "./model.js";
import {condition, predicateField} from "./predicate.js";
import {Rows} from "./rows.js";
import {copyButton, dialog, download, menu, problem, toast} from "./widgets.js";

/** @returns The page of the entity that the address names, or of the first one. */
export async function page(place) {
    const entity = model.find(place.parts[0] ?? memory.get("entity")) ?? model.entities.find((one) => !one.isAbstract) ?? model.entities[0];
    if (entity === undefined) return {element: h("div", {class: "page"}, h("h1", {}, "There are no data that you may see"), h("p", {class: "quiet"}, "Sign in, or ask for a role that may read."))};
    memory.set("entity", entity.name);
    const content = new DataPage(entity, place.parameters);
    const side = sidebar(entity);
    return {
        title: entity.name, element: h("div", {class: "split"}, side, content.element), shown: () => content.shown(), leave: () => content.leave(),
        update: (next) => model.find(next.parts[0] ?? entity.name) === entity && content.take(next.parameters),
    };
}

function sidebar(current) {
    const sorted = (entities) => entities.flatMap((entity) => [entity, ...sorted(entity.children)]);
    const links = sorted(model.entities.filter((entity) => entity.parent === null)).map((entity) => {
        const count = h("span", {class: "count"});
        get(dataPath(entity.path) + "?result=count").then((answer) => show(count, number(answer.count)), () => {});
        return h("a", {href: `#/data/${entity.name}`, class: `depth${Math.min(entity.depth, 3)}`, "aria-current": entity === current ? "page" : null}, entity.name, count);
    });
    return h("nav", {class: "side", "aria-label": "Entities"}, h("h2", {}, "Entities"), links);
}

class DataPage {
    constructor(entity, parameters) {
        this.entity = entity;
        this.selection = new Set();
        this.filters = {};
        this.all = entity.columns.map((property) => ({property, name: property.name, width: width(property)}));
        const settings = memory.get(`columns.${entity.name}`, {});
        this.hidden = new Set(settings.hidden ?? []);
        this.order = settings.order ?? [];
        for (const column of this.all) column.width = settings.widths?.[column.name] ?? column.width;
        this.rows = null;
        this.make();
        this.read(parameters);
    }

    make() {
        const {entity} = this;
        this.search = h("input", {type: "search", class: "search", placeholder: entity.isSearchable ? "Search" : "Search texts", "aria-label": `Search ${entity.name}`, "data-key": "/"});
        this.search.addEventListener("input", debounced(() => this.write(), 250));
        this.predicate = predicateField(() => entity, "", (text) => { if (text !== this.where) { this.where = text; this.write(); } });
        this.selectionBar = h("div", {class: "toolbar selection", hidden: true});
        this.state = h("div", {class: "footer"});
        this.grid = makeGrid({
            label: entity.name, columns: () => this.columns(), rows: () => this.rows, open: (row) => { location.hash = `#/object/${row._id}`; },
            sorted: (name, isMore) => this.sortBy(name, isMore), resized: (name, width) => { this.all.find((column) => column.name === name).width = width; this.remember(); },
            selection: this.selection, selected: () => this.showSelection(), empty: () => this.rows.error ? problem(this.rows.error) : [h("p", {}, "There is nothing here."), this.hasConditions ? h("button", {onclick: () => { location.hash = `#/data/${entity.name}`; }}, "Show all") : null],
        });
        this.element = h("section", {class: "datapage", "aria-label": entity.name},
            h("div", {class: "toolbar"}, h("h1", {}, entity.name), this.search, this.predicate.element,
                menu("Columns", () => this.columnItems()), menu("⋯", () => this.moreItems(), {"aria-label": "More"}),
                h("button", {type: "button", "data-key": "r", title: "Refresh (r)", onclick: () => this.reload()}, "Refresh"),
                entity.kinds.length === 1 && !entity.isAbstract ? h("a", {class: "button", href: `#/object/${entity.path}/new`, "data-key": "n"}, "New")
                    : menu("New", entity.kinds.map((kind) => ({label: kind.name, action: () => { location.hash = `#/object/${kind.path}/new`; }})), {"data-key": "n"})),
            this.selectionBar, this.grid.element, this.state);
    }

    shown() { this.grid.layout(); }
    leave() { this.rows?.stop(); removeEventListener("outcrop-changed", this.listener); }

    /** Takes another address of the same table. */
    take(parameters) { this.read(parameters); return true; }

    read(parameters) {
        this.search.value = parameters.get("search") ?? "";
        this.where = parameters.get("where") ?? "";
        this.predicate.input.value = this.where;
        this.sort = (parameters.get("sort") ?? "").split(",").filter((key) => key !== "");
        this.equalities = Object.fromEntries([...parameters].filter(([name]) => !["search", "where", "sort"].includes(name)));
        this.load();
        this.grid.layout();
        this.listener ??= debounced(() => this.reload(), 100);
        addEventListener("outcrop-changed", this.listener);
    }

    /** Writes what is chosen to the address, which reads it again. */
    write() {
        const text = query({search: this.search.value, where: this.where, sort: this.sort.join(","), ...this.equalities});
        const next = `#/data/${this.entity.name}${text}`;
        if (location.hash !== next) location.hash = next; else this.load();
    }

    get hasConditions() { return this.where !== "" || this.search.value !== "" || Object.keys(this.equalities).length > 0 || Object.values(this.filters).some(Boolean); }

    /** The conditions of the list: the predicate, the filter row and, without an index of texts, the search. */
    conditions() {
        const parts = Object.entries(this.filters).map(([name, text]) => condition(this.entity.property(name), text)).filter(Boolean);
        if (this.where !== "") parts.unshift(parts.length > 0 ? `(${this.where})` : this.where);
        if (!this.entity.isSearchable && this.search.value.trim() !== "") {
            const texts = this.entity.attributes.filter((attribute) => attribute.type === "String" && attribute.isStored).slice(0, 8);
            if (texts.length > 0) parts.push("(" + texts.map((attribute) => condition(attribute, this.search.value)).join(" OR ") + ")");
        }
        return parts.join(" AND ");
    }

    parameters() {
        const columns = this.visible().map(({property}) => {
            const title = property.kind === "relationship" ? model.find(property.destination)?.title : undefined;
            return title === undefined ? property.name : `${property.name}.${title.name}`;
        });
        return {
            where: this.conditions(), search: this.entity.isSearchable ? this.search.value.trim() : "", sort: this.sort.join(","),
            select: columns.join(","), ...this.equalities,
        };
    }

    load() {
        this.rows?.stop();
        this.rows = new Rows(this.entity.path, this.parameters(), () => this.arrived());
        this.rows.need(0, 0);
    }

    reload() { this.load(); this.showSelection(); }

    arrived() {
        const {error, total} = this.rows;
        this.predicate.fail(error instanceof APIError && error.code === "predicate" ? error : null);
        show(this.state, h("span", {role: "status"}, total === null ? "Loading …" : counted(total, "object")), this.hasConditions ? h("span", {}, "filtered") : null,
            Object.entries(this.equalities).map(([name, value]) => h("span", {class: "badge"}, `${name} = ${value}`)),
            h("span", {class: "spring"}), session.draft ? h("span", {class: "badge warn"}, "in the draft") : null);
        this.grid.redraw();
    }

    visible() {
        const rank = (column) => { const place = this.order.indexOf(column.name); return place < 0 ? this.order.length + this.all.indexOf(column) : place; };
        return this.all.filter((column) => !this.hidden.has(column.name)).sort((one, other) => rank(one) - rank(other));
    }

    columns() {
        return this.visible().map((column) => {
            const {property, name} = column;
            const key = this.sort.find((one) => one.replace(/^-/, "").split(".")[0] === name);
            column.label = name;
            column.isNumeric = isNumeric(property);
            column.sort = key === undefined ? null : key.startsWith("-") ? "descending" : "ascending";
            column.cell = (row) => name === this.entity.columns[0].name ? h("a", {href: `#/object/${row._id}`}, row[name] === null || row[name] === "" || row[name] === undefined ? row._id : shown(row[name], property)) : shown(row[name], property);
            column.edit = property.kind === "attribute" && property.isWritable && property.type !== "Binary" ? (row) => this.cellEditor(row, property) : undefined;
            column.filter ??= this.filter(property);
            return column;
        });
    }

    filter(property) {
        if (property.type === "Binary" || property.type === "Transformable" || model.composites[property.type]) return null;
        const isTruth = property.type === "Bool" || property.type === "Boolean";
        const input = isTruth ? h("select", {}, ["", "yes", "no"].map((value) => h("option", {value}, value)))
            : h("input", {type: "text", placeholder: isNumeric(property) ? "> 5, 1..9" : property.type === "Date" ? "> 2026-01-31" : "", spellcheck: "false"});
        input.setAttribute("aria-label", `Filter ${property.name}`);
        input.title = "Text, =exact, > 5, 1..9, nil, !nil";
        input.value = this.filters[property.name] ?? "";
        input.addEventListener("input", debounced(() => { this.filters[property.name] = input.value; this.load(); }, isTruth ? 0 : 300));
        return input;
    }

    cellEditor(row, property) {
        const part = editor(property, row[property.name], () => {}, {isCompact: true});
        part.input.setAttribute("aria-label", `${property.name} of ${titleOf(row)}`);
        return {
            element: part.element, focus: () => { part.input.focus(); part.input.select?.(); },
            done: async () => {
                try {
                    const value = part.value();
                    if (JSON.stringify(value) === JSON.stringify(row[property.name] ?? null)) return row;
                    await send(dataPath(row._id), {method: "PATCH", body: {_version: row._version, [property.name]: value}});
                    dispatchQuietly();
                    return await get(dataPath(row._id) + query({select: this.parameters().select}));
                } catch (error) {
                    toast(error.errors?.[0]?.message ?? error.message, "bad");
                    throw error;
                }
            },
        };
    }

    sortBy(name, isMore) {
        const property = this.entity.property(name);
        const title = property.kind === "relationship" ? model.find(property.destination)?.title : undefined;
        const key = title === undefined ? name : `${name}.${title.name}`;
        const present = this.sort.find((one) => one.replace(/^-/, "") === key);
        const next = present === undefined ? [key] : present.startsWith("-") ? [] : ["-" + key];
        this.sort = [...(isMore ? this.sort.filter((one) => one !== present) : []), ...next];
        this.grid.top();
        this.write();
    }

    columnItems() {
        const change = (action) => () => { action(); this.remember(); this.load(); this.grid.layout(); };
        const names = [...this.visible(), ...this.all.filter((column) => this.hidden.has(column.name))];
        return [
            ...names.map((column) => ({label: column.name, isChecked: !this.hidden.has(column.name), action: change(() => { if (!this.hidden.delete(column.name)) this.hidden.add(column.name); })})),
            null, {label: "Reorder …", action: () => this.reorder()}, {label: "Show all", action: change(() => { this.hidden.clear(); this.order = []; })},
        ];
    }

    reorder() {
        dialog("Order of columns", () => {
            const list = h("ol", {class: "members"});
            const draw = () => show(list, this.visible().map((column, place, all) => {
                const move = (step) => () => {
                    const names = all.map((one) => one.name);
                    names.splice(place + step, 0, ...names.splice(place, 1));
                    this.order = names;
                    this.remember(); this.load(); this.grid.layout(); draw();
                };
                return h("li", {}, h("span", {class: "spring"}, column.name),
                    h("button", {class: "small plain", "aria-label": `Move ${column.name} up`, disabled: place === 0, onclick: move(-1)}, "↑"),
                    h("button", {class: "small plain", "aria-label": `Move ${column.name} down`, disabled: place === all.length - 1, onclick: move(1)}, "↓"));
            }));
            draw();
            return list;
        });
    }

    remember() {
        memory.set(`columns.${this.entity.name}`, {hidden: [...this.hidden], order: this.order, widths: Object.fromEntries(this.all.map((column) => [column.name, column.width]))});
    }

    moreItems() {
        const {select, ...conditions} = this.parameters();
        return [
            {label: "Export as CSV", action: () => this.export("text/csv", "csv")}, {label: "Export as NDJSON", action: () => this.export("application/x-ndjson", "ndjson")},
            {label: "Import …", action: () => importFile(this.entity, () => this.reload())}, null,
            {label: "curl line …", action: () => dialog("The same with curl", () => { const line = curl("GET", dataPath(this.entity.path), {...conditions, select}); return [h("pre", {class: "card"}, line), h("div", {class: "buttons"}, copyButton(line))]; }, {wide: true})},
            {label: "Open in Query", action: () => { location.hash = `#/query${query({entity: this.entity.name, ...conditions})}`; }}, null,
            {label: "Change all these …", action: () => this.batch(batchUpdate, this.all_())}, {label: "Delete all these …", action: () => this.batch(batchDelete, this.all_())},
        ];
    }

    async export(type, ending) {
        try {
            const {select, ...conditions} = this.parameters();
            toast("The export has begun.");
            const response = await fetched(dataPath(this.entity.path) + query(conditions), {accept: type});
            if (!response.ok) throw new Error((await response.json()).detail ?? response.statusText);
            download(await response.blob(), `${this.entity.path}.${ending}`);
        } catch (error) { toast(error.message, "bad"); }
    }

    /** The condition of a batch for all that the list has; search is no condition of batches. */
    all_() {
        if (this.entity.isSearchable && this.search.value.trim() !== "") { toast("A batch can't be limited by a search. Use a predicate.", "bad"); return null; }
        const equalities = Object.entries(this.equalities);
        const where = [this.conditions(), ...equalities.map(([name]) => `${name} == %@`)].filter(Boolean).join(" AND ");
        return where === "" ? {all: true} : {where, args: equalities.map(([, value]) => value)};
    }

    showSelection() {
        const {size} = this.selection;
        this.selectionBar.hidden = size === 0;
        const chosen = {where: "SELF IN %@", args: [[...this.selection]]};
        show(this.selectionBar, h("strong", {}, counted(size, "object") + " selected"),
            h("button", {class: "small", onclick: () => this.batch(batchUpdate, chosen)}, "Change …"),
            h("button", {class: "small danger", onclick: () => this.batch(batchDelete, chosen)}, "Delete …"),
            h("button", {class: "small plain", onclick: () => { this.selection.clear(); this.showSelection(); this.grid.redraw(); }}, "Clear"));
    }

    async batch(run, condition) {
        if (condition === null || await run(this.entity, condition) !== true) return;
        this.selection.clear();
        this.reload();
        dispatchQuietly();
    }
}

function dispatchQuietly() { if (session.draft !== null) dispatchEvent(new Event("outcrop-changed")); }

function width(property) {
    if (property.kind === "relationship") return 170;
    if (isNumeric(property)) return 104;
    return {Bool: 86, Boolean: 86, Date: 168, UUID: 250, Binary: 90, Transformable: 200}[property.type] ?? (property.maxLength !== undefined && property.maxLength <= 40 ? 140 : 230);
}
