// SPDX-License-Identifier: Apache-2.0

// The editor of a cell, by the type of its property.

import {dataPath, get, query} from "../api.js";
import {violation} from "../checks.js";
import {titleOf} from "../format.js";
import {rememberValue} from "../former.js";
import {model} from "../model.js";
import {makeToOneEditor} from "../picker.js";
import {areEqual, saveValues} from "../saving.js";
import {session} from "../session.js";
import {makeEditor} from "../values.js";

/**
 * Makes the editor of a cell.
 *
 * @param {import("../model.js").Attribute | import("../model.js").Relationship} property
 * @param {any} row
 * @param {{selection: string, saved: (row: any, name: string, value: any) => void}} options
 *   `selection` is what the list requests; `saved` gets the row as it was, and the new value.
 * @returns {import("./cellediting.js").CellEditor | null} Null if it can't be edited.
 */
export function cellEditor(property, row, {selection, saved}) {
    const isEditable = property.isWritable && property.type !== "Binary"
        && (property.isStored || session.draft !== null);
    if (!isEditable || property.isToMany) return null;
    let chosen = () => {};
    const editor = property.kind === "relationship"
        ? makeToOneEditor(property, row[property.name], () => chosen(), {shown: titleOf, isCompact: true})
        : makeEditor(property, row[property.name], () => {}, {isCompact: true});
    const input = editor.element.querySelector("input, select, textarea") ?? editor.control;
    input.setAttribute("aria-label", `${property.name} of ${titleOf(row)}`);

    function check() {
        try {
            return violation(property, editor.value());
        } catch (error) {
            return error.message;
        }
    }

    async function save() {
        const value = editor.value();
        if (areEqual(value, row[property.name])) return null;
        const entity = model.entityOf(row._id);
        rememberValue(row, property.name);
        const values = await saveValues(entity, row, {[property.name]: value});
        if (values === null) return null;
        if (property.name in values) saved(row, property.name, value);
        return get(dataPath(row._id) + query({select: selection}));
    }

    const listen = property.kind === "relationship" ? (call) => { chosen = call; } : undefined;
    return {element: editor.element, control: input, check, save, listen};
}
