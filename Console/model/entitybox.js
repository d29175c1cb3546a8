// SPDX-License-Identifier: Apache-2.0

// The box of an entity in the diagram, with its properties. It can be moved, and chosen.

import {svg} from "../dom.js";

const WIDTH = 190;
const LINE = 16;
const HEAD = 26;
/** How many lines a box has at most. */
const MOST = 10;
/** How far the pointer moves before it drags. */
const SLACK = 4;

/** The size of an entity's box. @returns {import("./arrangement.js").Box} */
export function sizeOf(entity) {
    return {width: WIDTH, height: HEAD + Math.max(1, linesOf(entity).length) * LINE + 8};
}

/** The names and the types of the properties that a box shows. */
function linesOf({ownAttributes, ownRelationships}) {
    const all = [
        ...ownAttributes.map(({name, type, isOptional}) => [name, type + (isOptional ? "?" : "")]),
        ...ownRelationships.map(({name, destination, isToMany}) => [name, isToMany ? `[${destination}]` : destination]),
    ];
    return all.length <= MOST ? all : [...all.slice(0, MOST - 1), [`${all.length - MOST + 1} more`, ""]];
}

/**
 * @typedef {object} BoxOptions
 * @property {() => import("./arrangement.js").Point} point Its middle.
 * @property {() => number} scale How many units of the diagram a pixel has.
 * @property {(point: import("./arrangement.js").Point) => void} move
 * @property {() => void} moved
 * @property {() => void} choose
 */

/**
 * @param {import("../model.js").Entity} entity
 * @param {import("./arrangement.js").Box} box
 * @param {BoxOptions} options
 * @returns {SVGElement}
 */
export function entityBox(entity, box, options) {
    const {width, height} = box;
    const label = `${entity.name}, ${entity.attributes.length} attributes`;
    const element = svg("g", {class: "entity", tabindex: "0", role: "link", "aria-label": label},
        svg("rect", {class: "box", width, height, rx: 6}), head(width), title(entity), linesOf(entity).flatMap(line));
    const place = () => {
        const {x, y} = options.point();
        element.setAttribute("transform", `translate(${x - width / 2} ${y - height / 2})`);
    };
    place();
    letDrag(element, options, place);
    element.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        options.choose();
    });
    return element;
}

function head(width) {
    return svg("path", {
        class: "boxhead", d: `M0 ${HEAD} V6 Q0 0 6 0 H${width - 6} Q${width} 0 ${width} 6 V${HEAD} Z`,
    });
}

function title({name, isAbstract}) {
    return svg("text", {class: "title", x: 10, y: 18, "font-style": isAbstract ? "italic" : null}, name);
}

function line([name, type], place) {
    const y = HEAD + 15 + place * LINE;
    return [
        svg("text", {x: 10, y}, clipped(name, 18)),
        svg("text", {class: "type", x: WIDTH - 10, y, "text-anchor": "end"}, clipped(type, 12)),
    ];
}

function clipped(text, most) {
    return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** A pointer that moves drags the box, and one that doesn't chooses it. */
function letDrag(element, {point, scale, move, moved, choose}, place) {
    element.addEventListener("pointerdown", (event) => {
        event.stopPropagation();
        element.setPointerCapture(event.pointerId);
        const begin = {...point()};
        let hasMoved = false;
        element.onpointermove = (next) => {
            const dx = next.clientX - event.clientX;
            const dy = next.clientY - event.clientY;
            hasMoved ||= Math.hypot(dx, dy) >= SLACK;
            if (!hasMoved) return;
            move({x: begin.x + dx * scale(), y: begin.y + dy * scale()});
            place();
        };
        element.onpointerup = () => {
            element.onpointermove = null;
            element.onpointerup = null;
            if (hasMoved) moved();
            else choose();
        };
    });
}
