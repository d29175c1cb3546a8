// SPDX-License-Identifier: Apache-2.0

// A table of which only the rows in view are elements, so that a million rows scroll like ten.

import {h, show} from "../dom.js";
import {headCell} from "./head.js";
import {listenForKeys} from "./keys.js";

/** Rows beyond the edges of what is seen that are elements, too. */
const MARGIN = 12;

/** Browsers don't allow much higher elements. */
const HIGHEST = 15_000_000;
const MARK_WIDTH = 36;

/**
 * @typedef {object} GridColumn
 * @property {import("./columns.js").Column} column
 * @property {"ascending" | "descending" | null} direction
 * @property {boolean} isTitle
 * @property {(row: any) => import("../dom.js").Child} content
 * @property {((row: any) => import("./cellediting.js").CellEditor) | null} edit
 * @property {HTMLElement | null} filter
 *
 * @typedef {object} GridOptions
 * @property {string} label
 * @property {() => GridColumn[]} columns
 * @property {() => import("./rows.js").Rows} rows
 * @property {import("./selection.js").Selection} selection
 * @property {(row: any) => void} open
 * @property {(column: import("./columns.js").Column, isAdded: boolean) => void} sort
 * @property {(column: import("./columns.js").Column, target: import("./columns.js").Column) => void} move
 * @property {(column: import("./columns.js").Column, width: number) => void} resize
 * @property {() => void} ended Called when a cell isn't edited any more.
 */

export class Grid {
    /** @type {HTMLElement} */
    element;
    /** @type {GridColumn[]} */
    columns = [];
    /** The cell that has, or would get, the focus. */
    focus = {place: 0, column: 0};
    /** The cell that is edited. @type {HTMLElement | null} */
    editing = null;
    /** @type {GridOptions} */
    options;

    #head = h("div", {class: "head", role: "row", "aria-rowindex": "1"});
    #filters = h("div", {class: "filters", role: "row", "aria-rowindex": "2"});
    #space = h("div", {class: "space", role: "rowgroup"});
    #sticky = h("div", {class: "sticky", role: "rowgroup"}, this.#head, this.#filters);
    #lines = new Map();
    #rowHeight = 32;
    #isAsking = false;

    /** @param {GridOptions} options */
    constructor(options) {
        this.options = options;
        this.element = h("div", {
            class: "grid", role: "grid", "aria-label": options.label, "aria-multiselectable": "true", tabindex: "-1",
        }, this.#sticky, this.#space);
        this.element.addEventListener("scroll", () => requestAnimationFrame(() => this.draw()), {passive: true});
        listenForKeys(this);
        new ResizeObserver(() => this.draw()).observe(this.element);
    }

    /** Draws everything: the columns have changed. */
    layout() {
        this.#rowHeight = parseInt(getComputedStyle(this.element).getPropertyValue("--row"), 10) || 32;
        this.drawHead();
        this.applyWidths();
        this.element.setAttribute("aria-colcount", String(this.columns.length + 1));
        show(this.#filters, h("div", {class: "cell mark", role: "gridcell"}),
            this.columns.map(({filter, isTitle}) =>
                h("div", {class: isTitle ? "cell title" : "cell", role: "gridcell"}, filter)));
        this.redraw();
    }

    /** Draws the heads with the present order. */
    drawHead() {
        this.columns = this.options.columns();
        const {selection, rows} = this.options;
        const markAll = (event) => {
            selection.setAll(rows().all, event.target.checked);
            this.redraw();
        };
        const all = h("input", {
            type: "checkbox", "aria-label": "Select all rows that are loaded", title: "Select all rows that are loaded",
            $checked: selection.size > 0 && rows().all.every((row) => selection.has(row._id)), onchange: markAll,
        });
        const {activeElement} = document;
        const isMarking = this.#head.contains(activeElement) && activeElement.matches("input");
        const focused = this.#head.contains(activeElement)
            ? activeElement.closest("[data-head]")?.dataset.head : undefined;
        show(
            this.#head, h("div", {class: "cell mark", role: "columnheader"}, all),
            this.columns.map((column, place) => headCell(this, column, place)),
        );
        if (isMarking) all.focus();
        else this.#head.querySelector(`[data-head="${focused}"] button`)?.focus();
    }

    applyWidths() {
        const columns = this.columns.map(({column}) => column);
        const widths = [MARK_WIDTH, ...columns.map(({width}) => width)];
        // What is free is for long texts, and otherwise for the last column.
        const growing = new Set(columns.some(({isGrowing}) => isGrowing)
            ? columns.filter(({isGrowing}) => isGrowing) : columns.slice(-1));
        const sized = columns.map((column) =>
            growing.has(column) ? `minmax(${column.width}px, 1fr)` : `${column.width}px`);
        const texts = [`${MARK_WIDTH}px`, ...sized];
        this.element.style.setProperty("--columns", texts.join(" "));
        this.element.style.setProperty("--width", `${widths.reduce((sum, width) => sum + width, 0)}px`);
    }

    /** Whether the filters are shown. */
    set showsFilters(isShown) {
        this.#filters.hidden = !isShown;
    }

    /** Draws all rows again: their content or the selection has changed. */
    redraw() {
        const hadFocus = this.#hasFocus;
        for (const place of this.#lines.keys()) this.#dropLine(place);
        this.draw();
        if (hadFocus) this.focusCell();
    }

    /** Draws the rows in view, as far as they aren't elements already. */
    draw() {
        const rows = this.options.rows();
        if (this.columns.length === 0) return;
        const total = rows.total ?? 0;
        this.#space.style.height = `${Math.min(total * this.#rowHeight, HIGHEST)}px`;
        this.element.setAttribute("aria-rowcount", String(total + 2));
        const scrolled = this.element.scrollTop;
        const top = scrolled * this.#scale(total);
        const first = Math.max(0, Math.floor(top / this.#rowHeight) - MARGIN);
        const last = Math.min(total - 1, Math.ceil((top + this.element.clientHeight) / this.#rowHeight) + MARGIN);
        const hadFocus = this.#hasFocus;
        for (const place of this.#lines.keys()) {
            if (place < first || place > last) this.#dropLine(place);
        }
        for (let place = first; place <= last; place += 1) this.#line(place, rows);
        for (const [place, {element}] of this.#lines) {
            element.style.transform = `translateY(${place * this.#rowHeight - top + scrolled}px)`;
        }
        this.#markFocus(first, last);
        if (hadFocus && !this.#space.contains(document.activeElement)) this.focusCell();
        this.#ask();
    }

    scrollToTop() {
        this.element.scrollTop = 0;
    }

    /** The place and the column of a cell, or of the nearest one that there is. */
    within(place, column) {
        const total = this.options.rows().total ?? 0;
        return {
            place: Math.max(0, Math.min(place, total - 1)),
            column: Math.max(0, Math.min(column, this.columns.length - 1)),
        };
    }

    /** Brings a cell into view and focuses it. */
    goTo(place, column) {
        const total = this.options.rows().total ?? 0;
        if (total === 0) return;
        this.focus = this.within(place, column);
        this.#bringIntoView(this.focus.place, total);
        this.draw();
        this.#focusedCell?.scrollIntoView({block: "nearest", inline: "nearest"});
        this.focusCell();
    }

    /** Focuses the cell; until its row has been read, the table as a whole keeps the focus. */
    focusCell() {
        (this.#focusedCell ?? this.element).focus({preventScroll: true});
    }

    /** How many rows fit. */
    get pageLength() {
        return Math.max(1, Math.floor((this.element.clientHeight - this.#sticky.offsetHeight) / this.#rowHeight) - 1);
    }

    /** Shows the content of a row again. */
    renew(place) {
        const hadFocus = this.#hasFocus;
        this.#lines.get(place)?.element.remove();
        this.#lines.delete(place);
        this.draw();
        if (hadFocus && !this.#space.contains(document.activeElement)) this.focusCell();
    }

    get #hasFocus() {
        const {activeElement} = document;
        return this.editing === null && (activeElement === this.element || this.#space.contains(activeElement));
    }

    get #focusedCell() {
        return this.#space.querySelector(`[data-place="${this.focus.place}"][data-column="${this.focus.column}"]`);
    }

    /** The rows' pixels for a pixel of the scroll bar: 1, unless the list is higher than an element may be. */
    #scale(total) {
        const height = total * this.#rowHeight;
        const visible = this.element.clientHeight;
        return height <= HIGHEST ? 1 : (height - visible) / (HIGHEST - visible);
    }

    #bringIntoView(place, total) {
        const scale = this.#scale(total);
        const top = place * this.#rowHeight;
        const visible = this.element.clientHeight - this.#sticky.offsetHeight - this.#rowHeight;
        const present = this.element.scrollTop * scale;
        if (top < present) this.element.scrollTop = top / scale;
        else if (top > present + visible) this.element.scrollTop = (top - visible) / scale;
    }

    /** Removes a line, unless it has the cell that is edited. */
    #dropLine(place) {
        const {element} = this.#lines.get(place);
        if (element.contains(this.editing)) return;
        element.remove();
        this.#lines.delete(place);
    }

    #line(place, rows) {
        const row = rows.row(place);
        const present = this.#lines.get(place);
        if (present !== undefined && present.row === row) return present;
        if (present?.element.contains(this.editing)) return present;
        present?.element.remove();
        const line = {row, element: this.#lineElement(place, row, rows.fresh.delete(place))};
        this.#lines.set(place, line);
        this.#space.append(line.element);
        return line;
    }

    #lineElement(place, row, isFresh) {
        if (row === undefined) return h("div", {class: "line waiting", role: "row", "aria-rowindex": place + 3});
        const {selection} = this.options;
        const isSelected = selection.has(row._id);
        const select = (event) => {
            if (event.shiftKey) selection.extend(place, (one) => this.options.rows().row(one));
            else selection.set(row, place, !isSelected);
            this.redraw();
        };
        const mark = h(
            "input",
            {
                type: "checkbox", tabindex: "-1", "aria-label": `Select ${row._id}`, $checked: isSelected,
                onclick: select,
            },
        );
        return h("div", {
            class: isFresh ? "line fresh" : "line", role: "row", "aria-rowindex": place + 3,
            "aria-selected": String(isSelected),
        }, h("div", {class: "cell mark", role: "gridcell"}, mark), this.columns.map((column, number) =>
            this.#cell(column, number, place, row)));
    }

    #cell({column, isTitle, content}, number, place, row) {
        const names = ["cell", column.isNumeric && "numeric", isTitle && "title"].filter(Boolean).join(" ");
        return h("div", {
            class: names, role: "gridcell", tabindex: "-1", "aria-colindex": number + 2, data: {place, column: number},
        }, content(row));
    }

    /** Makes the focused cell, or the first one in view, the one that Tab leads to. */
    #markFocus(first, last) {
        for (const cell of this.#space.querySelectorAll('[tabindex="0"]')) cell.tabIndex = -1;
        if (this.focus.place < first || this.focus.place > last) this.focus = {place: first, column: this.focus.column};
        const cell = this.#focusedCell;
        if (cell !== null) cell.tabIndex = 0;
    }

    /** Reads the rows in view, at most ten times a second while they scroll by. */
    #ask() {
        if (this.#isAsking) return;
        this.#isAsking = true;
        setTimeout(() => {
            this.#isAsking = false;
            const rows = this.options.rows();
            const top = this.element.scrollTop * this.#scale(rows.total ?? 0);
            const first = Math.max(0, Math.floor(top / this.#rowHeight) - MARGIN);
            rows.need(first, first + Math.ceil(this.element.clientHeight / this.#rowHeight) + 2 * MARGIN);
        }, 100);
    }
}
