// SPDX-License-Identifier: Apache-2.0

// Charts of numbers: bars, lines and points.

import {svg} from "./dom.js";

/** Round numbers that divide a range. */
export function ticks(least, most, count = 4) {
    const span = most - least || 1, power = 10 ** Math.floor(Math.log10(span / count));
    const step = [1, 2, 5, 10].map((one) => one * power).find((one) => span / one <= count) ?? power * 10;
    const found = [];
    for (let value = Math.ceil(least / step) * step; value <= most + step * 1e-9; value += step) found.push(Number(value.toPrecision(12)));
    return found;
}

/**
 * Draws a chart.
 *
 * @param {"bars" | "line" | "points"} kind
 * @param {Array<{label: string, value: number, x?: number}>} items
 */
export function chart(kind, items, label, {width = 900, height = 260, isSmall = false} = {}) {
    const left = isSmall ? 4 : 64, bottom = isSmall ? 4 : 46, top = 8, right = 8;
    const values = items.map((item) => item.value);
    const most = Math.max(...values, 0), least = Math.min(...values, 0);
    const y = (value) => top + (height - top - bottom) * (1 - (value - least) / (most - least || 1));
    const numbers = items.map((item) => item.x), isNumeric = kind === "points" && numbers.every((one) => typeof one === "number");
    const lowest = Math.min(...numbers), highest = Math.max(...numbers);
    const step = (width - left - right) / Math.max(items.length, 1);
    const x = (item, place) => isNumeric ? left + (item.x - lowest) / (highest - lowest || 1) * (width - left - right) : left + (place + 0.5) * step;
    const element = svg("svg", {class: isSmall ? "chart spark" : "chart", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: isSmall ? "none" : null, role: "img", "aria-label": `${label}: ${items.slice(0, 20).map((item) => `${item.label} ${item.value}`).join(", ")}`});
    if (!isSmall) {
        for (const tick of ticks(least, most)) element.append(svg("line", {class: "guide", x1: left, x2: width - right, y1: y(tick), y2: y(tick)}), svg("text", {x: left - 6, y: y(tick) + 4, "text-anchor": "end"}, tick.toLocaleString()));
        const every = Math.ceil(items.length / 14);
        items.forEach((item, place) => { if (place % every === 0) element.append(svg("text", {x: x(item, place), y: height - bottom + 16, "text-anchor": "end", transform: `rotate(-28 ${x(item, place)} ${height - bottom + 16})`}, item.label.length > 14 ? item.label.slice(0, 13) + "…" : item.label)); });
        element.append(svg("line", {class: "axis", x1: left, x2: width - right, y1: y(0), y2: y(0)}));
    }
    const named = (shape, item) => { shape.append(svg("title", {}, `${item.label}: ${item.value.toLocaleString()}`)); return shape; };
    if (kind === "bars") items.forEach((item, place) => element.append(named(svg("rect", {class: "bar", x: x(item, place) - step * 0.38, width: Math.max(1, step * 0.76), y: Math.min(y(item.value), y(0)), height: Math.abs(y(item.value) - y(0)), rx: 2}), item)));
    else if (kind === "line") {
        element.append(svg("polyline", {class: "curve", points: items.map((item, place) => `${x(item, place)},${y(item.value)}`).join(" ")}));
        if (items.length <= 60 && !isSmall) items.forEach((item, place) => element.append(named(svg("circle", {class: "point", cx: x(item, place), cy: y(item.value), r: 3}), item)));
    } else items.forEach((item, place) => element.append(named(svg("circle", {class: "point", cx: x(item, place), cy: y(item.value), r: 3.5, "fill-opacity": 0.6}), item)));
    return element;
}
