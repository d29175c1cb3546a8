// SPDX-License-Identifier: Apache-2.0

// The head of a column: sorts the list, and is dragged to move the column or to make it wider.

import {h} from "../dom.js";
import {icon} from "../icons.js";

const STEP = 20;

/**
 * @param {import("./grid.js").Grid} grid
 * @param {import("./grid.js").GridColumn} entry
 * @param {number} place
 */
export function headCell(grid, {column, direction, isTitle}, place) {
    const {options} = grid;
    const isSortable = column.sortKey !== null;
    const button = h("button", {
        type: "button", tabindex: place === 0 ? "0" : "-1", draggable: "true",
        "aria-disabled": isSortable ? null : "true",
        title: isSortable ? "Sort. With Shift: also by this column" : null,
        onclick: (event) => { if (isSortable) options.sort(column, event.shiftKey); },
        onkeydown: (event) => press(event, grid, column, place),
    }, h("span", {}, column.name), direction === null ? null : icon(direction === "ascending" ? "up" : "down"));
    const cell = h("div", {
        class: ["cell", column.isNumeric && "numeric", isTitle && "title"].filter(Boolean).join(" "),
        role: "columnheader",
        "aria-colindex": place + 2, "aria-sort": isSortable ? direction ?? "none" : null, data: {head: place},
    }, button, grip(grid, column));
    listenForDragging(grid, column, button, cell);
    return cell;
}

let dragged = null;

function listenForDragging(grid, column, button, cell) {
    button.addEventListener("dragstart", (event) => {
        dragged = column;
        event.dataTransfer.effectAllowed = "move";
        event.dataTransfer.setData("text/plain", column.name);
    });
    button.addEventListener("dragend", () => { dragged = null; });
    cell.addEventListener("dragover", (event) => {
        if (dragged === null || dragged === column) return;
        event.preventDefault();
        cell.classList.add("over");
    });
    cell.addEventListener("dragleave", () => cell.classList.remove("over"));
    cell.addEventListener("drop", (event) => {
        event.preventDefault();
        cell.classList.remove("over");
        if (dragged !== null && dragged !== column) grid.options.move(dragged, column);
    });
}

/** The edge that makes a column wider. */
function grip(grid, column) {
    const element = h("span", {class: "grip", "aria-hidden": "true"});
    element.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        element.setPointerCapture(event.pointerId);
        const begin = event.clientX - shownWidth(element);
        element.onpointermove = (move) => {
            column.isSized = true;
            column.width = Math.max(56, move.clientX - begin);
            grid.applyWidths();
        };
        element.onpointerup = () => {
            element.onpointermove = null;
            if (column.isSized) grid.options.resize(column, column.width);
        };
    });
    return element;
}

/** The width of the column of an element, which may be more than the column needs. */
function shownWidth(element) {
    return element.closest("[data-head]").getBoundingClientRect().width;
}

/** Arrows move between the heads; with Alt they move the column, and with Shift they change its width. */
function press(event, grid, column, place) {
    const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (event.key === "ArrowDown") {
        event.preventDefault();
        grid.goTo(grid.focus.place, place);
    }
    if (step === undefined) return;
    event.preventDefault();
    const target = grid.columns[place + step];
    if (event.shiftKey) {
        grid.options.resize(column, shownWidth(event.currentTarget) + step * STEP);
        grid.applyWidths();
    } else if (event.altKey && target !== undefined) {
        grid.options.move(column, target.column);
        focusHead(grid, place + step);
    } else {
        focusHead(grid, place + step);
    }
}

function focusHead(grid, place) {
    grid.element.querySelector(`[data-head="${place}"] button`)?.focus();
}
