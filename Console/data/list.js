// SPDX-License-Identifier: Apache-2.0

// The list of an entity's objects: the table with everything around it.

import {APIError, query} from "../api.js";
import {debounced, h, setValue, show} from "../dom.js";
import {model} from "../model.js";
import {go} from "../navigation.js";
import {events} from "../session.js";
import {problem, toast} from "../widgets.js";
import {cellEditor} from "./celleditors.js";
import {content} from "./cells.js";
import {Columns} from "./columns.js";
import {Conditions} from "./conditions.js";
import {Edits} from "./edits.js";
import {filterInput} from "./filters.js";
import {Footer} from "./footer.js";
import {Grid} from "./grid.js";
import {Rows} from "./rows.js";
import {Selection} from "./selection.js";
import {SelectionBar} from "./selectionbar.js";
import {Toolbar} from "./toolbar.js";
import {keepPlace, restorePlace} from "./viewstate.js";

export class List {
    /** @type {HTMLElement} */
    element;
    /** @type {import("../model.js").Entity} */
    entity;
    /** @type {Conditions} */
    conditions;
    /** @type {Columns} */
    columns;
    /** @type {Rows} */
    rows;
    /** @type {Grid} */
    grid;
    selection = new Selection(() => this.#selectionChanged());
    /** @type {Edits} */
    edits;

    #filters = new Map();
    #empty = h("div", {class: "empty", hidden: true});
    #toolbar;
    #selectionBar;
    #footer;
    /** The conditions of the rows that are shown. */
    #listed = "";
    #isOutdated = false;
    #isPlaced = false;
    #refresh = debounced(() => this.refresh(), 150);

    /** @param {import("../model.js").Entity} entity @param {URLSearchParams} parameters */
    constructor(entity, parameters) {
        this.entity = entity;
        this.edits = new Edits(this);
        this.columns = new Columns(entity);
        this.conditions = new Conditions(entity, parameters);
        this.rows = new Rows(entity.path, {}, () => {});
        this.#toolbar = new Toolbar(this);
        this.#selectionBar = new SelectionBar(this);
        this.#footer = new Footer(this);
        this.grid = new Grid({
            label: entity.name, columns: () => this.#gridColumns(), rows: () => this.rows, selection: this.selection,
            open: (row) => go(`#/object/${row._id}`), sort: (column, isAdded) => this.#sort(column, isAdded),
            move: (column, target) => this.changeColumns(() => this.columns.move(column, target)),
            resize: (column, width) => this.columns.resize(column, width),
            ended: () => { if (this.#isOutdated) this.refresh(); },
        });
        this.grid.showsFilters = this.#toolbar.showsFilters;
        this.element = h("section", {class: "list", "aria-label": entity.name},
            this.#toolbar.element, this.#selectionBar.element,
            h("div", {class: "grid-frame"}, this.grid.element, this.#empty), this.#footer.element);
        this.#toolbar.take(this.conditions);
        this.load();
        events.addEventListener("changed", this.#refresh);
    }

    shown() {
        this.grid.layout();
    }

    /** Takes a changed address. */
    update(parameters) {
        this.conditions = new Conditions(this.entity, parameters);
        this.#toolbar.take(this.conditions);
        for (const [name, input] of this.#filters) setValue(input, this.conditions.filters[name] ?? "");
        this.load();
        this.grid.drawHead();
        return true;
    }

    leave() {
        keepPlace(this);
        this.rows.stop();
        events.removeEventListener("changed", this.#refresh);
    }

    /** Changes the conditions, and writes them into the address. */
    change(action) {
        action(this.conditions);
        this.grid.scrollToTop();
        go(this.conditions.address, {isReplacing: true});
    }

    /** Reads the list from its beginning. */
    load() {
        const listed = query({...this.conditions.parameters, sort: ""});
        // What isn't listed any more doesn't stay selected.
        if (listed !== this.#listed && this.selection.size > 0) this.selection.clear();
        this.#listed = listed;
        this.rows.stop();
        this.rows = new Rows(
            this.entity.path, {...this.conditions.parameters, select: this.columns.selection}, () => this.#arrived(),
        );
        this.rows.need(0, 0);
    }

    /** Reads the rows in view again. */
    refresh() {
        this.#isOutdated = this.grid.editing !== null;
        if (this.#isOutdated || !this.element.isConnected) return;
        this.rows.refresh();
        this.grid.draw();
    }

    changeColumns(action) {
        action();
        this.load();
        this.grid.layout();
    }

    showFilters(isShown) {
        this.grid.showsFilters = isShown;
        if (isShown) this.#filters.values().next().value?.focus();
    }

    /** Shows all objects, in the same order. */
    clearConditions() {
        const conditions = new Conditions(this.entity, new URLSearchParams());
        conditions.sort = this.conditions.sort;
        go(conditions.address);
        for (const input of this.#filters.values()) input.value = "";
    }

    showEdits() {
        this.#footer.show();
    }

    #arrived() {
        const {error, total} = this.rows;
        const isPredicateError = error instanceof APIError && error.code === "predicate";
        this.#toolbar.fail(isPredicateError ? error : null);
        if (error !== null && total > 0) toast(error.message, "bad");
        this.#empty.hidden = total !== 0;
        if (total === 0) show(this.#empty, error === null ? this.#nothing() : isPredicateError ? null : problem(error));
        this.#footer.show();
        this.#selectionBar.show();
        this.grid.draw();
        if (!this.#isPlaced) restorePlace(this);
        this.#isPlaced = true;
    }

    #nothing() {
        const {name} = this.entity;
        if (!this.entity.can("read")) return h("p", {}, `You may create objects of ${name}, but not read them.`);
        if (this.conditions.isEmpty) return h("p", {}, `There are no objects of ${name} yet.`);
        return [h("p", {}, "Nothing matches the conditions."),
            h("button", {type: "button", onclick: () => this.clearConditions()}, "Show all")];
    }

    #sort(column, isAdded) {
        this.change((conditions) => conditions.sortBy(column.sortKey, {isAdded}));
    }

    #selectionChanged() {
        this.#selectionBar.show();
        this.grid.drawHead();
    }

    #gridColumns() {
        const {naming} = this.entity;
        const hasKinds = this.entity.concrete.length > 1;
        return this.columns.visible.map((column, place) => ({
            column, direction: column.sortKey === null ? null : this.conditions.direction(column.sortKey),
            isTitle: place === 0,
            content: (row) => content(
                row, column.property, {isLink: place === 0, isNaming: column.property === naming, hasKinds},
            ),
            edit: (row) => this.#edit(row, column), filter: this.#filter(column),
        }));
    }

    #edit(row, column) {
        const entity = model.entityOf(row._id) ?? this.entity;
        if (!entity.can("update")) return null;
        const property = entity.property(column.name) ?? column.property;
        return cellEditor(
            property, row,
            {selection: this.columns.selection, saved: (before, name, value) => this.edits.add(before, name, value)},
        );
    }

    #filter(column) {
        if (!column.isFiltered) return null;
        if (!this.#filters.has(column.name)) {
            const changed = (text) => this.change((conditions) => { conditions.filters[column.name] = text; });
            const input = filterInput(column.property, this.conditions.filters[column.name] ?? "", changed);
            this.#filters.set(column.name, input);
        }
        return this.#filters.get(column.name);
    }
}
