// SPDX-License-Identifier: Apache-2.0

// The tools above a list: search, predicate, filters, columns, new objects, and what else can be done with the list.

import {dataPath, query} from "../api.js";
import {curl} from "../curl.js";
import {h, listenForTyping, setValue} from "../dom.js";
import {icon} from "../icons.js";
import {memory} from "../memory.js";
import {menu} from "../menu.js";
import {go} from "../navigation.js";
import {predicateField} from "../predicatefield.js";
import {copyButton, dialog, toast} from "../widgets.js";

export class Toolbar {
    element;
    #list;
    #search;
    #predicate;

    /** @param {import("./list.js").List} list */
    constructor(list) {
        this.#list = list;
        const {entity} = list;
        this.#search = h("input", {
            type: "search", "aria-label": `Search ${entity.name}`,
            placeholder: entity.isSearchable ? "Search words" : "Search texts",
            data: {key: "/"}, onkeydown: (event) => this.#enterTable(event),
        });
        listenForTyping(this.#search, (text) => list.change((conditions) => { conditions.search = text; }));
        this.#predicate = predicateField(() => entity, "", (text) => {
            if (text !== list.conditions.where) list.change((conditions) => { conditions.where = text; });
        });
        const filters = h("button", {
            type: "button", class: "icon-button", "aria-label": "Filters", title: "Filters",
            "aria-pressed": String(this.showsFilters),
            onclick: () => this.#toggleFilters(filters),
        }, icon("filter"));
        this.element = h("div", {class: "toolbar"},
            h("h1", {}, entity.name),
            h("div", {class: "search"}, icon("search"), this.#search),
            h("div", {class: "predicate"}, this.#predicate.element),
            filters,
            menu(
                icon("columns"), () => this.#columnItems(),
                {class: "icon-button", "aria-label": "Columns", title: "Columns"},
            ),
            h(
                "button",
                {
                    type: "button", class: "icon-button", data: {key: "r"}, "aria-label": "Refresh",
                    title: "Refresh (r)", onclick: () => list.refresh(),
                },
                icon("refresh"),
            ),
            menu(icon("more"), () => this.#items(), {class: "icon-button", "aria-label": "More", title: "More"}),
            this.#newButton(),
            this.#predicate.failure);
    }

    get showsFilters() {
        return memory.get("showsFilters", matchMedia("(min-width: 861px)").matches);
    }

    /** Shows conditions that have come from the address. @param {import("./conditions.js").Conditions} conditions */
    take(conditions) {
        setValue(this.#search, conditions.search);
        if (this.#predicate.input !== document.activeElement) this.#predicate.input.value = conditions.where;
        this.#showPredicate();
    }

    /** Shows what is wrong with the predicate, or nothing. */
    fail(error) {
        this.#predicate.fail(error, this.#list.conditions.whereOffset);
    }

    #toggleFilters(button) {
        const isShown = !this.showsFilters;
        memory.set("showsFilters", isShown);
        button.setAttribute("aria-pressed", String(isShown));
        this.#list.showFilters(isShown);
        this.#showPredicate();
    }

    /** On a narrow page, the predicate is shown with the filters, or if there is one. */
    #showPredicate() {
        this.element.classList.toggle("with-filters", this.showsFilters || this.#list.conditions.where !== "");
    }

    #enterTable(event) {
        if (event.key !== "ArrowDown" && event.key !== "Enter") return;
        event.preventDefault();
        this.#list.grid.goTo(0, 0);
    }

    #newButton() {
        const kinds = this.#list.entity.concrete.filter((kind) => kind.can("create"));
        const create = (kind) => go(`#/object/${kind.path}/new`);
        const label = [icon("add"), "New"];
        if (kinds.length === 0) return null;
        if (kinds.length === 1) {
            return h(
                "button",
                {
                    type: "button", class: "primary", data: {key: "n"}, title: "New object (n)",
                    onclick: () => create(kinds[0]),
                },
                label,
            );
        }
        return menu(
            label, () => kinds.map((kind) => ({label: kind.name, action: () => create(kind)})),
            {class: "primary", data: {key: "n"}},
        );
    }

    #columnItems() {
        const {columns} = this.#list;
        return [
            ...columns.all.map((column) => ({
                label: column.name, isChecked: columns.isVisible(column),
                action: () => this.#list.changeColumns(() => columns.toggle(column)),
            })),
            null,
            {label: "Reorder …", icon: "drag", action: () => this.#reorder()},
            {label: "As in the model", icon: "undo", action: () => this.#list.changeColumns(() => columns.reset())},
        ];
    }

    async #reorder() {
        (await import("./columnorder.js")).askForOrder(this.#list);
    }

    #items() {
        const list = this.#list;
        const {entity, conditions} = list;
        const isImported = entity.can("create") && !entity.isAbstract;
        const hasFilters = conditions.filterPredicate !== "";
        const moveFilters = {label: "Filters into the predicate", icon: "filter", action: () => this.#moveFilters()};
        const parameters = query({entity: entity.name, ...conditions.parameters});
        const change = {label: "Change all of these …", icon: "draft", action: () => this.#batch("askForUpdate")};
        const remove = {label: "Delete all of these …", icon: "trash", action: () => this.#batch("askForDeletion")};
        const batches = [...(entity.can("update") ? [change] : []), ...(entity.can("delete") ? [remove] : [])];
        return [
            {label: "Export as CSV", icon: "download", action: () => this.#export("csv")},
            {label: "Export as NDJSON", icon: "download", action: () => this.#export("ndjson")},
            ...(isImported ? [{label: "Import …", icon: "upload", action: () => this.#import()}] : []),
            null,
            ...(hasFilters ? [moveFilters] : []),
            {label: "curl line …", icon: "copy", action: () => this.#showCurl()},
            {label: "Open in Query", icon: "search", action: () => go(`#/query${parameters}`)},
            ...(batches.length > 0 ? [null, ...batches] : []),
        ];
    }

    async #export(format) {
        const {exportList} = await import("./exporting.js");
        exportList(this.#list, format);
    }

    async #import() {
        const {askForFile} = await import("./importing.js");
        askForFile(this.#list.entity);
    }

    async #batch(name) {
        const {batchCondition} = this.#list.conditions;
        if (batchCondition === null) {
            toast("A batch can't be limited by a search for words. Use a predicate or filters.", "bad");
            return;
        }
        const batches = await import("./batches.js");
        batches[name](this.#list.entity, batchCondition);
    }

    #moveFilters() {
        this.#list.change((conditions) => {
            const {predicate} = Object.assign(Object.create(conditions), {search: ""});
            conditions.where = predicate;
            conditions.filters = {};
        });
    }

    #showCurl() {
        const {entity, conditions, columns} = this.#list;
        const line = curl("GET", dataPath(entity.path), {...conditions.parameters, select: columns.selection});
        dialog(
            "The same with curl",
            () => [h("pre", {class: "card"}, line), h("div", {class: "buttons"}, copyButton(line))], {isWide: true},
        );
    }
}
