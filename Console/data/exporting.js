// SPDX-License-Identifier: Apache-2.0

// Writes a list into a file, with its conditions and order. CSV has the visible columns, with related objects as
// references, so that an import takes the file. NDJSON has everything.

import {dataPath, open, query} from "../api.js";
import {download, toast} from "../widgets.js";

const TYPES = {csv: "text/csv", ndjson: "application/x-ndjson"};

/**
 * @param {import("./list.js").List} list
 * @param {"csv" | "ndjson"} format
 */
export async function exportList({entity, conditions, columns}, format) {
    const select = format === "csv" ? columns.exported : undefined;
    const name = `${entity.path}.${format}`;
    try {
        // A file that the browser opens for writing takes a list of any length.
        const file = await openedFile(name, TYPES[format]);
        const response = await open(
            dataPath(entity.path) + query({...conditions.parameters, select}), {accept: TYPES[format]},
        );
        if (file === null) {
            const end = toast("The list is read …");
            download(await response.blob(), name);
            end();
        } else {
            await response.body.pipeTo(await file.createWritable());
        }
        toast(`${name} was written.`);
    } catch (error) {
        if (error.name !== "AbortError") toast(error.message, "bad");
    }
}

/** The file that the person chooses; null if the browser can't write files. */
async function openedFile(name, type) {
    if (window.showSaveFilePicker === undefined || navigator.webdriver) return null;
    return window.showSaveFilePicker({suggestedName: name, types: [{accept: {[type]: [`.${name.split(".").pop()}`]}}]});
}
