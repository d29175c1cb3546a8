// SPDX-License-Identifier: Apache-2.0

// A table of which only the rows in view are elements, so that a million rows scroll as ten do.

import {debounced, h, show} from "./dom.js";

const ROW = 32, MARGIN = 12, TALLEST = 15_000_000;

/**
 * Makes a table.
 *
 * @param {object} options
 *   `columns()`: what is shown, `{name, label, width, isNumeric, sort, cell(row) → content, edit(row) → editor or null, filter → element}`;
 *   `rows()`: the `Rows`; `open(row)`, `sorted(name, isMore)`, `resized(name, width)`, `selection`: a Set of references,
 *   `selected()`; `label`.
 */
export function makeGrid(options) {
    const head = h("div", {class: "head", role: "row", "aria-rowindex": "1"});
    const filters = h("div", {class: "filters"});
    const sticky = h("div", {class: "sticky", role: "rowgroup"}, head, filters);
    const space = h("div", {class: "space", role: "rowgroup"});
    const empty = h("div", {class: "empty", hidden: true});
    const element = h("div", {class: "grid", role: "grid", "aria-label": options.label, "aria-multiselectable": "true", tabindex: "-1"}, sticky, space, empty);
    const lines = new Map();
    let focus = {place: 0, column: 1}, columns = [], editing = null;

    function layout() {
        columns = options.columns();
        const widths = [34, ...columns.map((column) => column.width)];
        element.style.setProperty("--columns", [...widths.slice(0, -1).map((width) => `${width}px`), `minmax(${widths.at(-1)}px, 1fr)`].join(" "));
        element.style.setProperty("--width", `${widths.reduce((sum, width) => sum + width, 0)}px`);
        element.setAttribute("aria-colcount", String(widths.length));
        show(head, h("div", {class: "cell mark", role: "columnheader"}, h("input", {type: "checkbox", "aria-label": "Select the rows that are loaded", onchange: markAll})),
            columns.map((column) => headCell(column)));
        show(filters, h("div", {class: "cell"}), columns.map((column) => h("div", {class: "cell"}, column.filter ?? null)));
        filters.hidden = !columns.some((column) => column.filter);
        redraw();
    }

    function headCell(column) {
        const cell = h("div", {class: column.isNumeric ? "cell numeric" : "cell", role: "columnheader", "aria-sort": column.sort ?? "none"},
            h("button", {type: "button", title: "Sort; with Shift also by this", onclick: (event) => options.sorted(column.name, event.shiftKey)}, column.label,
                column.sort ? h("span", {"aria-hidden": "true"}, column.sort === "ascending" ? "▲" : "▼") : null));
        const grip = h("span", {class: "resize", onpointerdown: (event) => {
            event.preventDefault();
            grip.setPointerCapture(event.pointerId);
            const begin = event.clientX - column.width;
            grip.onpointermove = (move) => { column.width = Math.max(50, move.clientX - begin); widths(); };
            grip.onpointerup = () => { grip.onpointermove = null; options.resized(column.name, column.width); };
        }});
        cell.append(grip);
        return cell;
    }

    function widths() {
        const all = [34, ...columns.map((column) => column.width)];
        element.style.setProperty("--columns", [...all.slice(0, -1).map((width) => `${width}px`), `minmax(${all.at(-1)}px, 1fr)`].join(" "));
        element.style.setProperty("--width", `${all.reduce((sum, width) => sum + width, 0)}px`);
    }

    function markAll(event) {
        const rows = options.rows();
        for (const block of rows.blocks.values()) for (const row of block) event.target.checked ? options.selection.add(row._id) : options.selection.delete(row._id);
        options.selected();
        redraw();
    }

    /** How many pixels a pixel of the scroll bar stands for: 1, but for lists that are taller than browsers allow. */
    function scale(total) {
        const height = total * ROW;
        return height <= TALLEST ? 1 : (height - element.clientHeight) / (TALLEST - element.clientHeight);
    }

    function draw() {
        const rows = options.rows();
        if (rows === null) return;
        const total = rows.total ?? 0;
        const factor = scale(total);
        space.style.height = `${Math.min(total * ROW, TALLEST)}px`;
        element.setAttribute("aria-rowcount", String(total + 1));
        const top = element.scrollTop * factor;
        const first = Math.max(0, Math.floor(top / ROW) - MARGIN);
        const last = Math.min(total - 1, Math.ceil((top + element.clientHeight) / ROW) + MARGIN);
        for (const [place, line] of lines) if (place < first || place > last) { line.element.remove(); lines.delete(place); }
        for (let place = first; place <= last; place += 1) {
            const row = rows.row(place);
            let line = lines.get(place);
            if (line === undefined || line.row !== row) {
                line?.element.remove();
                line = {row, element: lineElement(place, row)};
                lines.set(place, line);
                space.append(line.element);
            }
            line.element.style.transform = `translateY(${place * ROW - top + element.scrollTop}px)`;
        }
        need(first, Math.max(first, last));
        empty.hidden = total > 0 || rows.total === null;
        if (!empty.hidden) show(empty, options.empty());
    }

    const need = debounced((first, last) => options.rows()?.need(first, last), 30);

    function lineElement(place, row) {
        const isMarked = row !== undefined && options.selection.has(row._id);
        const line = h("div", {class: row === undefined ? "line waiting" : "line", role: "row", "aria-rowindex": String(place + 2), "aria-selected": String(isMarked)});
        if (row === undefined) return line;
        line.append(h("div", {class: "cell mark", role: "gridcell"}, h("input", {type: "checkbox", tabindex: "-1", "aria-label": `Select ${row._id}`, $checked: isMarked, onchange: (event) => mark(row, event.target.checked)})));
        columns.forEach((column, index) => {
            const cell = h("div", {class: ["cell", column.isNumeric ? "numeric" : "", index === 0 ? "title" : ""].join(" "), role: "gridcell",
                tabindex: focus.place === place && focus.column === index + 1 ? "0" : "-1", "data-place": place, "data-column": index + 1,
                ondblclick: () => edit(cell, row, column), onfocus: () => { focus = {place, column: index + 1}; }});
            show(cell, column.cell(row));
            line.append(cell);
        });
        return line;
    }

    function mark(row, isMarked) {
        if (isMarked) options.selection.add(row._id); else options.selection.delete(row._id);
        options.selected();
        redraw();
    }

    function edit(cell, row, column) {
        if (editing !== null || row === undefined) return;
        const editor = column.edit?.(row);
        if (!editor) return;
        editing = cell;
        cell.classList.add("editing");
        show(cell, editor.element);
        editor.focus();
        const end = async (isDone, step) => {
            if (editing !== cell) return;
            editing = null;
            cell.classList.remove("editing");
            const place = Number(cell.dataset.place);
            if (isDone) {
                try { const changed = await editor.done(); if (changed) options.rows().replace(place, changed); }
                catch { /* The page has told it. */ }
            }
            lines.get(place)?.element.remove();
            lines.delete(place);
            draw();
            goTo(place + step, Number(cell.dataset.column));
        };
        editor.element.addEventListener("keydown", (event) => {
            if (event.key === "Enter") { event.preventDefault(); event.stopPropagation(); end(true, 1); }
            else if (event.key === "Escape") { event.preventDefault(); event.stopPropagation(); end(false, 0); }
            else event.stopPropagation();
        });
        editor.element.addEventListener("focusout", (event) => { if (!editor.element.contains(event.relatedTarget)) end(true, 0); });
    }

    function goTo(place, column) {
        const total = options.rows()?.total ?? 0;
        const target = {place: Math.max(0, Math.min(place, total - 1)), column: Math.max(1, Math.min(column, columns.length))};
        const top = target.place * ROW, factor = scale(total), visible = element.clientHeight - sticky.offsetHeight - ROW;
        if (factor === 1) {
            if (top < element.scrollTop) element.scrollTop = top;
            else if (top > element.scrollTop + visible) element.scrollTop = top - visible;
        } else element.scrollTop = top / factor;
        focus = target;
        draw();
        space.querySelector(`[data-place="${target.place}"][data-column="${target.column}"]`)?.focus({preventScroll: factor !== 1});
    }

    element.addEventListener("keydown", (event) => {
        const cell = event.target.closest?.("[data-place]");
        if (!cell || editing !== null) return;
        const place = Number(cell.dataset.place), column = Number(cell.dataset.column), row = options.rows().row(place);
        const page = Math.max(1, Math.floor(element.clientHeight / ROW) - 2);
        const target = {ArrowDown: [place + 1, column], ArrowUp: [place - 1, column], ArrowRight: [place, column + 1], ArrowLeft: [place, column - 1],
            PageDown: [place + page, column], PageUp: [place - page, column], Home: [event.ctrlKey ? 0 : place, 1],
            End: [event.ctrlKey ? Infinity : place, columns.length]}[event.key];
        if (target !== undefined) { event.preventDefault(); goTo(...target); }
        else if (event.key === " " && row) { event.preventDefault(); mark(row, !options.selection.has(row._id)); goTo(place, column); }
        else if (event.key === "F2" || (event.key === "Enter" && !event.ctrlKey)) {
            event.preventDefault();
            if (columns[column - 1].edit?.(row) && event.key === "F2" || columns[column - 1].edit && column > 1) edit(cell, row, columns[column - 1]);
            else options.open(row);
        } else if (event.key === "Enter") options.open(row);
    });
    element.addEventListener("scroll", () => requestAnimationFrame(draw), {passive: true});
    new ResizeObserver(() => draw()).observe(element);

    /** Draws all rows again: their values, columns or selection have changed. */
    function redraw() {
        for (const line of lines.values()) line.element.remove();
        lines.clear();
        draw();
    }
    return {element, layout, draw, redraw, top: () => { element.scrollTop = 0; }};
}
