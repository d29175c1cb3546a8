// SPDX-License-Identifier: Apache-2.0

// Inserts the objects of a file. A dry run says what is wrong with them before.

import {dataPath, query, send} from "../api.js";
import {h, show} from "../dom.js";
import {bytes, counted} from "../format.js";
import {writeJSON} from "../json.js";
import {reportChange} from "../session.js";
import {dialog, field, problem, toast} from "../widgets.js";
import {objectsOf} from "./csv.js";

const TYPES = {
    ndjson: "application/x-ndjson", jsonl: "application/x-ndjson", json: "application/json",
    csv: "application/x-ndjson",
};

/** Asks for a file with objects of an entity. @param {import("../model.js").Entity} entity */
export function askForFile(entity) {
    dialog(`Import into ${entity.name}`, (close) => {
        const result = h("div", {"aria-live": "polite"});
        const input = h(
            "input", {type: "file", accept: ".csv,.ndjson,.jsonl,.json", autofocus: true, onchange: () => run(true)},
        );
        const merge = h("select", {onchange: () => run(true)},
            h("option", {value: "error"}, "nothing is imported"), h(
                "option", {value: "overwrite"}, "the stored object is changed",
            ));
        const keepIDs = h("input", {type: "checkbox", onchange: () => run(true)});
        const button = h(
            "button", {type: "button", class: "primary", disabled: true, onclick: () => run(false)}, "Import",
        );

        async function run(isDryRun) {
            const file = input.files[0];
            if (file === undefined) return;
            button.disabled = true;
            show(result, h("p", {class: "quiet"}, isDryRun ? "Checking …" : "Importing …"));
            try {
                const {raw, type} = await content(file, entity);
                const parameters = query({dryRun: isDryRun && "true", keepIds: keepIDs.checked && "true"});
                const {value} = await send(dataPath(`${entity.path}/batch-insert${parameters}`), {
                    method: "POST", raw, type, prefer: merge.value === "error" ? undefined : `merge=${merge.value}`,
                });
                if (isDryRun) {
                    show(
                        result,
                        h(
                            "p", {class: "note"},
                            `${file.name}, ${bytes(file.size)}: ${counted(value.count, "object")} would be inserted.`,
                        ),
                    );
                    button.disabled = false;
                    return;
                }
                toast(`${counted(value.count, "object")} inserted.`);
                close();
                reportChange();
            } catch (error) {
                show(result, problem(error));
            }
        }

        return [
            h("p", {class: "quiet"}, "CSV with names in the first line, or JSON: an object in each line, or an array."),
            h("p", {class: "quiet"}, "All of them are inserted, or none."),
            field("File", input).element, field("If a unique value is taken", merge).element,
            field("Keep numbers", keepIDs).element,
            result,
            h("div", {class: "buttons"}, h("button", {type: "button", onclick: () => close()}, "Cancel"), button),
        ];
    });
}

/** What is sent for a file. */
async function content(file, entity) {
    const ending = file.name.split(".").pop().toLowerCase();
    const type = TYPES[ending] ?? "application/x-ndjson";
    if (ending !== "csv") return {raw: file, type};
    return {raw: objectsOf(await file.text(), entity).map((object) => writeJSON(object)).join("\n"), type};
}
