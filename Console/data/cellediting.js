// SPDX-License-Identifier: Apache-2.0

// Editing in a cell: Enter saves and goes down, Tab saves and goes on, Escape cancels.

import {h, show} from "../dom.js";
import {failureToast, signInOffer, toast} from "../widgets.js";

/**
 * @typedef {object} CellEditor
 * @property {HTMLElement} element
 * @property {HTMLElement} control What gets the focus.
 * @property {() => string | null} check What is wrong with what was entered, or null.
 * @property {() => Promise<any>} save The changed row, or null if nothing was changed. Throws what the server refuses.
 * @property {((chosen: () => void) => void)} [listen] Calls a function when the person has chosen a value.
 */

/**
 * Edits a cell of a grid.
 *
 * @param {import("./grid.js").Grid} grid
 * @param {HTMLElement} cell
 * @param {CellEditor} editor
 */
export function editCell(grid, cell, editor) {
    const place = Number(cell.dataset.place);
    const column = Number(cell.dataset.column);
    const message = h("div", {class: "cell-message", role: "alert", hidden: true});
    let isSaving = false;
    /** Where the focus goes once the value is saved. @type {[number, number] | null} */
    let next = null;

    grid.editing = cell;
    cell.classList.add("editing");
    show(cell, editor.element, message);
    editor.control.focus();
    editor.control.select?.();

    function fail(text, offer = null) {
        // The focus stays in the cell, so that the message doesn't disappear before the button is pressed.
        const stay = (event) => event.preventDefault();
        const button = offer === null ? null
            : h("button", {type: "button", class: "small", onmousedown: stay, onclick: offer.run}, offer.label);
        show(message, text, button);
        message.hidden = text === "";
        editor.control.setAttribute("aria-invalid", String(text !== ""));
    }

    /** Whether the focus hasn't gone elsewhere; it is nowhere while what had it is drawn again. */
    function isHere() {
        return cell.contains(document.activeElement) || document.activeElement === document.body;
    }

    /** Shows the value again. A step leads on from the cell; null leaves the focus where it is. */
    function end(step) {
        const isLeading = step !== null && isHere();
        grid.editing = null;
        grid.renew(place);
        if (isLeading) grid.goTo(place + step[0], column + step[1]);
        grid.options.ended();
    }

    async function commit(step) {
        // What had the focus is drawn again, and so left, when a value was chosen.
        next = step ?? next;
        if (isSaving) return;
        const wrong = editor.check();
        if (wrong !== null) {
            next = null;
            fail(wrong);
            return;
        }
        isSaving = true;
        cell.classList.add("saving");
        try {
            const row = await editor.save();
            if (row !== null) grid.options.rows().replace(place, row);
            end(next);
        } catch (error) {
            refuse(error);
        }
    }

    /** Lets the value be corrected, unless the person has gone on elsewhere. */
    function refuse(error) {
        if (!cell.isConnected || !(isHere() || grid.element.contains(document.activeElement))) {
            failureToast(error);
            end(null);
            return;
        }
        isSaving = false;
        next = null;
        cell.classList.remove("saving");
        const text = [error.errors?.[0]?.message ?? error.message, error.hint].filter(Boolean).join(" ");
        fail(text, signInOffer(error));
        editor.control.focus();
    }

    editor.element.addEventListener("input", () => fail(editor.check() ?? ""));
    editor.listen?.(() => commit([0, 0]));
    cell.addEventListener("keydown", (event) => {
        if (grid.editing !== cell) return;
        event.stopPropagation();
        const isNewLine = event.target.tagName === "TEXTAREA" && (event.shiftKey || event.altKey);
        if (event.defaultPrevented || (event.key === "Enter" && isNewLine)) return;
        const step = {Enter: [1, 0], Tab: [0, event.shiftKey ? -1 : 1]}[event.key];
        if (step === undefined && event.key !== "Escape") return;
        event.preventDefault();
        if (event.key === "Escape") end([0, 0]);
        else commit(step);
    });
    cell.addEventListener("focusout", (event) => {
        const isLeft = grid.editing === cell && !cell.contains(event.relatedTarget);
        // A dialog about the value, or another window, takes the focus for a while.
        if (!isLeft || isSaving || !document.hasFocus() || document.querySelector("dialog[open]") !== null) return;
        const wrong = editor.check();
        if (wrong === null) {
            commit(null);
            return;
        }
        toast(`What was typed wasn't saved: ${wrong}`, "bad");
        // The focus is on its way.
        setTimeout(() => end(null));
    });
}
