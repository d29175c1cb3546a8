// SPDX-License-Identifier: Apache-2.0

// A chart of a query's rows: one of their numbers over one of their other values.

import {chart} from "../chart.js";
import {h, show} from "../dom.js";
import {titleOf} from "../format.js";
import {isNumber, writeJSON} from "../json.js";

const MOST = 400;

/**
 * @param {Array<Record<string, any>>} items
 * @param {string} sorted The column that the rows are sorted by, which is drawn first.
 * @returns {HTMLElement}
 */
export function chartPanel(items, sorted) {
    const keys = Object.keys(items[0] ?? {}).filter((key) => key !== "_entity" && key !== "_version");
    const numbers = keys.filter((key) => !key.startsWith("_") && items.some((item) => isNumber(item[key])));
    if (numbers.length === 0) {
        return h("p", {class: "quiet"}, "There are no numbers to draw. Group by something, and count.");
    }
    const place = h("div", {class: "chart-place"});
    const draw = () => {
        const width = Math.max(300, place.clientWidth || 900);
        const label = `${value.value} over ${over.value}`;
        show(place, chart(kind.value, itemsOf(items, value.value, over.value), label, {width}));
    };
    const first = numbers.includes(sorted) ? sorted : numbers.find((key) => key !== keys[0]) ?? numbers[0];
    const kind = chooser("Kind of chart", ["bars", "line", "points"], "bars", draw);
    const value = chooser("Value", numbers, first, draw);
    const over = chooser("Over", keys, keys.find((key) => !numbers.includes(key)) ?? keys[0], draw);
    new ResizeObserver(draw).observe(place);
    return h("div", {}, h("div", {class: "row"}, kind, value, "over", over), place);
}

function chooser(label, options, chosen, changed) {
    return h("select", {"aria-label": label, onchange: changed},
        options.map((one) => h("option", {value: one, selected: one === chosen}, one)));
}

/** @returns {import("../chart.js").Item[]} */
function itemsOf(items, value, over) {
    return items.filter((item) => isNumber(item[value])).slice(0, MOST).map((item) => ({
        label: labelOf(item[over]), value: Number(String(item[value])),
        x: isNumber(item[over]) ? Number(String(item[over])) : undefined,
    }));
}

function labelOf(value) {
    if (value === null || value === undefined) return "nil";
    if (typeof value !== "object" || isNumber(value)) return String(value);
    return value._id === undefined ? writeJSON(value) : titleOf(value);
}
