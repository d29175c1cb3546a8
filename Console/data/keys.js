// SPDX-License-Identifier: Apache-2.0

// The keys of a table: arrows move, Enter edits or opens, Space selects.

import {editCell} from "./cellediting.js";

/** @param {import("./grid.js").Grid} grid */
export function listenForKeys(grid) {
    grid.element.addEventListener("keydown", (event) => {
        const cell = event.target.closest("[data-place]");
        if ((cell === null && event.target !== grid.element) || grid.editing !== null) return;
        const {place, column} = grid.focus;
        const target = targetOf(event, place, column, grid);
        if (target !== null) {
            event.preventDefault();
            const {rows, selection} = grid.options;
            const end = grid.within(...target);
            if (event.shiftKey && end.place !== place) {
                selection.extend(end.place, (one) => rows().row(one), place);
                grid.redraw();
            }
            grid.goTo(...target);
            return;
        }
        if (cell !== null) act(event, grid, cell, place, column);
    });
    grid.element.addEventListener("dblclick", (event) => {
        const cell = event.target.closest("[data-place]");
        if (cell !== null && grid.editing === null) edit(grid, cell);
    });
    grid.element.addEventListener("focusin", (event) => {
        const cell = event.target.closest("[data-place]");
        if (cell === null || cell === grid.editing) return;
        for (const other of grid.element.querySelectorAll('[data-place][tabindex="0"]')) other.tabIndex = -1;
        cell.tabIndex = 0;
        grid.focus = {place: Number(cell.dataset.place), column: Number(cell.dataset.column)};
    });
}

/** The cell that a key leads to, or null. */
function targetOf({key, ctrlKey, metaKey}, place, column, grid) {
    const isFar = ctrlKey || metaKey;
    switch (key) {
    case "ArrowDown": return [isFar ? Infinity : place + 1, column];
    case "ArrowUp": return [isFar ? 0 : place - 1, column];
    case "ArrowRight": return [place, isFar ? Infinity : column + 1];
    case "ArrowLeft": return [place, isFar ? 0 : column - 1];
    case "PageDown": return [place + grid.pageLength, column];
    case "PageUp": return [place - grid.pageLength, column];
    case "Home": return [isFar ? 0 : place, isFar ? column : 0];
    case "End": return [isFar ? Infinity : place, isFar ? column : Infinity];
    default: return null;
    }
}

function act(event, grid, cell, place, column) {
    const {open, rows, selection} = grid.options;
    const row = rows().row(place);
    if (row === undefined) return;
    if (event.key === " ") {
        selection.set(row, place, !selection.has(row._id));
        grid.redraw();
    } else if (event.key === "F2" || (event.key === "Enter" && !event.ctrlKey && !event.metaKey && column > 0)) {
        if (!edit(grid, cell) && event.key === "Enter") open(row);
    } else if (event.key === "Enter") {
        open(row);
    } else {
        return;
    }
    event.preventDefault();
}

/** Begins to edit a cell. Returns whether it can be edited. */
function edit(grid, cell) {
    const place = Number(cell.dataset.place);
    const row = grid.options.rows().row(place);
    const editor = row === undefined ? null : grid.columns[Number(cell.dataset.column)].edit?.(row) ?? null;
    if (editor === null) return false;
    editCell(grid, cell, editor);
    return true;
}
