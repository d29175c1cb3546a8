// SPDX-License-Identifier: Apache-2.0

// Rows from a CSV, NDJSON or JSON file, tried before they are stored.

import {dataPath, send} from "./api.js";
import {objects} from "./csv.js";
import {h, show} from "./dom.js";
import {bytes, counted} from "./format.js";
import {writeJSON} from "./json.js";
import {dialog, problem, toast} from "./widgets.js";

const TYPES = {ndjson: "application/x-ndjson", jsonl: "application/x-ndjson", json: "application/json"};

/** Asks for a file, and inserts its rows. */
export function importFile(entity, done) {
    dialog(`Import ${entity.name}`, (close) => {
        const result = h("div", {"aria-live": "polite"});
        const act = h("button", {type: "button", class: "primary", disabled: true, onclick: () => run(false)}, "Import");
        const input = h("input", {type: "file", accept: ".csv,.ndjson,.jsonl,.json", "aria-label": "File", onchange: () => run(true)});
        async function run(isTrial) {
            const file = input.files[0];
            if (file === undefined) return;
            const ending = file.name.split(".").pop().toLowerCase();
            const type = TYPES[ending] ?? "application/x-ndjson";
            act.disabled = true;
            show(result, h("p", {class: "quiet"}, isTrial ? "Checking …" : "Importing …"));
            try {
                const raw = ending === "csv" ? objects(await file.text(), entity).map((one) => writeJSON(one)).join("\n") : file;
                const answer = await send(dataPath(`${entity.path}/batch-insert${isTrial ? "?dryRun=true" : ""}`), {method: "POST", raw, type});
                if (isTrial) {
                    show(result, h("p", {class: "note"}, `${file.name}, ${bytes(file.size)}: ${counted(answer.value.count, "object")} would be inserted.`));
                    act.disabled = false;
                } else { toast(`${counted(answer.value.count, "object")} inserted.`); close(); done(); }
            } catch (error) { show(result, problem(error)); }
        }
        return [h("p", {class: "quiet"}, "CSV with a head row, one JSON object for each line, or a JSON array. All rows are inserted, or none."), input, result,
            h("div", {class: "buttons"}, h("button", {type: "button", onclick: () => close()}, "Cancel"), act)];
    });
}
