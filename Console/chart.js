// SPDX-License-Identifier: Apache-2.0

// Charts of numbers: bars, lines and points.

import {svg} from "./dom.js";
import {roundedNumber} from "./format.js";

/** The width of a character of a label, about. */
const CHARACTER = 6.6;
const LONGEST = 18;
const ANGLE = 35;
const SINE = Math.sin(ANGLE * Math.PI / 180);
const COSINE = Math.cos(ANGLE * Math.PI / 180);
const TOP = 10;
const RIGHT = 10;

/**
 * @typedef {object} Item
 * @property {string} label
 * @property {number} value
 * @property {number} [x] Its place, if all have one.
 */

/**
 * Round numbers that divide a range.
 *
 * @param {number} least
 * @param {number} most
 * @param {number} [count] How many there are at most, about.
 */
export function ticks(least, most, count = 4) {
    const span = most - least || 1;
    const power = 10 ** Math.floor(Math.log10(span / count));
    const step = [1, 2, 5, 10].map((one) => one * power).find((one) => span / one <= count) ?? power * 10;
    const found = [];
    for (let value = Math.ceil(least / step) * step; value <= most + step * 1e-9; value += step) {
        found.push(Number(value.toPrecision(12)));
    }
    return found;
}

/**
 * Draws a chart.
 *
 * @param {"bars" | "line" | "points"} kind
 * @param {Item[]} items
 * @param {string} label
 * @param {{width?: number, height?: number, isSmall?: boolean}} [options] A small one has no axes.
 * @returns {SVGElement}
 */
export function chart(kind, items, label, {width = 900, height = 300, isSmall = false} = {}) {
    const element = svg("svg", {
        class: isSmall ? "chart spark" : "chart", viewBox: `0 0 ${width} ${height}`,
        preserveAspectRatio: isSmall ? "none" : null, role: "img", "aria-label": spoken(label, items),
    });
    const plot = new Plot(kind, items, {width, height, isSmall});
    if (!isSmall) element.append(...plot.guides(), ...plot.labels(), plot.axis());
    element.append(...plot.shapes(isSmall));
    return element;
}

function spoken(label, items) {
    const values = items.slice(0, 20).map((item) => `${item.label} ${roundedNumber(item.value)}`);
    return `${label}: ${values.join(", ")}`;
}

/** Where the values of a chart are. */
class Plot {
    #kind;
    #items;
    #left;
    #bottom;
    #width;
    #height;
    #least;
    #most;
    #ticks;
    #step;
    #areLabelsLevel;
    #range = null;

    constructor(kind, items, {width, height, isSmall}) {
        const values = items.map((item) => item.value);
        this.#kind = kind;
        this.#items = items;
        this.#width = width;
        this.#height = height;
        this.#most = Math.max(...values, 0);
        this.#least = Math.min(...values, 0);
        this.#ticks = ticks(this.#least, this.#most);
        this.#left = 4;
        this.#bottom = 4;
        if (!isSmall) this.#makeRoom();
        this.#step = (width - this.#left - RIGHT) / Math.max(items.length, 1);
        const places = items.map((item) => item.x);
        const isPlaced = kind === "points" && places.every((place) => typeof place === "number");
        if (isPlaced) this.#range = {lowest: Math.min(...places), highest: Math.max(...places)};
    }

    /** Room for the labels, which are level if they fit. */
    #makeRoom() {
        const longest = Math.max(0, ...this.#items.map((item) => clipped(item.label).length)) * CHARACTER;
        const numbers = Math.max(...this.#ticks.map((tick) => roundedNumber(tick).length)) * CHARACTER + 14;
        const step = (this.#width - numbers - RIGHT) / Math.max(this.#items.length, 1);
        this.#areLabelsLevel = longest + 8 <= step;
        this.#left = this.#areLabelsLevel ? numbers : Math.max(numbers, longest * COSINE - step / 2 + 6);
        this.#bottom = this.#areLabelsLevel ? 26 : longest * SINE + 24;
    }

    #x(item, place) {
        if (this.#range === null) return this.#left + (place + 0.5) * this.#step;
        const {lowest, highest} = this.#range;
        return this.#left + (item.x - lowest) / (highest - lowest || 1) * (this.#width - this.#left - RIGHT);
    }

    #y(value) {
        const height = this.#height - TOP - this.#bottom;
        return TOP + height * (1 - (value - this.#least) / (this.#most - this.#least || 1));
    }

    /** A line for each round number. */
    guides() {
        return this.#ticks.flatMap((tick) => {
            const y = this.#y(tick);
            const text = {x: this.#left - 8, y: y + 4, "text-anchor": "end"};
            return [
                svg("line", {class: "guide", x1: this.#left, x2: this.#width - RIGHT, y1: y, y2: y}),
                svg("text", text, roundedNumber(tick)),
            ];
        });
    }

    axis() {
        const y = this.#y(0);
        return svg("line", {class: "axis", x1: this.#left, x2: this.#width - RIGHT, y1: y, y2: y});
    }

    /** The labels below the axis: as many as there is room for. */
    labels() {
        const every = this.#areLabelsLevel ? 1 : Math.ceil(18 / this.#step);
        const isShown = (_, place) => place % every === 0;
        const y = this.#height - this.#bottom + 16;
        return this.#items.map((item, place) => {
            const x = this.#x(item, place);
            const turned = {"text-anchor": "end", transform: `rotate(${-ANGLE} ${x} ${y})`};
            return svg(
                "text", {x, y, ...(this.#areLabelsLevel ? {"text-anchor": "middle"} : turned)}, clipped(item.label),
            );
        }).filter(isShown);
    }

    shapes(isSmall) {
        if (this.#kind === "bars") return this.#items.map((item, place) => this.#bar(item, place));
        if (this.#kind === "points") return this.#items.map((item, place) => this.#point(item, place, 0.6));
        const points = this.#items.map((item, place) => `${this.#x(item, place)},${this.#y(item.value)}`).join(" ");
        const curve = svg("polyline", {class: "curve", points});
        const hasPoints = this.#items.length <= 60 && !isSmall;
        return [curve, ...(hasPoints ? this.#items.map((item, place) => this.#point(item, place, 1)) : [])];
    }

    #bar(item, place) {
        const y = this.#y(item.value);
        const zero = this.#y(0);
        return named(item, svg("rect", {
            class: "bar", x: this.#x(item, place) - this.#step * 0.38, width: Math.max(1, this.#step * 0.76),
            y: Math.min(y, zero), height: Math.abs(y - zero), rx: 2,
        }));
    }

    #point(item, place, opacity) {
        return named(item, svg("circle", {
            class: "point", cx: this.#x(item, place), cy: this.#y(item.value), r: 3.5, "fill-opacity": opacity,
        }));
    }
}

function named({label, value}, shape) {
    shape.append(svg("title", {}, `${label}: ${roundedNumber(value)}`));
    return shape;
}

function clipped(text) {
    return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
