// SPDX-License-Identifier: Apache-2.0

// The diagram of the model: boxes that can be moved, over lines for relationships and inheritance; it pans and zooms.

import {h, svg} from "../dom.js";
import {memory} from "../memory.js";
import {model} from "../model.js";
import {arranged} from "./arrangement.js";
import {entityBox, sizeOf} from "./entitybox.js";
import {edgePoint, lineBetween, loopAround} from "./lines.js";
import {parentsOf, relationsOf, rulesText} from "./relations.js";
import {View} from "./view.js";

const MARKERS = {many: "M11 1 L3 6 L11 11 M3 6 H11", one: "M6 1 V11", above: "M2 1 L11 6 L2 11 Z"};
/** How much lines between the same boxes are bent. */
const BEND = 0.16;

/**
 * @param {(entity: import("../model.js").Entity) => void} choose Called when an entity is clicked.
 * @returns {HTMLElement}
 */
export function diagram(choose) {
    return new Diagram(choose).element;
}

class Diagram {
    element;
    #choose;
    #entities = model.entities;
    #boxes = model.entities.map(sizeOf);
    #relations = relationsOf(model.entities);
    #parents = parentsOf(model.entities);
    #points;
    #edges = svg("g");
    #nodes = svg("g");
    #view;

    constructor(choose) {
        this.#choose = choose;
        this.#points = this.#places(memory.get(this.#key, {}));
        const drawing = svg("svg", {
            class: "diagram", role: "group", "aria-label": `Diagram of ${this.#entities.length} entities`,
            tabindex: "0",
        }, svg("defs", {}, Object.entries(MARKERS).map(marker)), this.#edges, this.#nodes);
        this.#view = new View(drawing, () => this.#bounds());
        this.#draw();
        this.#view.fit();
        this.element = h("div", {}, this.#tools(), drawing);
    }

    get #key() {
        return `diagram.${model.title}`;
    }

    /** The places of the boxes: where they were moved, or where there is room. */
    #places(kept) {
        const links = [...this.#relations, ...this.#parents].map(({from, to}) => [from, to]);
        const points = arranged(this.#boxes, links);
        return points.map((point, place) => ({...(kept[this.#entities[place].name] ?? point)}));
    }

    #tools() {
        const button = (label, action, name) =>
            h("button", {type: "button", class: "small", "aria-label": name, onclick: action}, label);
        return h("div", {class: "row"}, button("+", () => this.#view.zoom(0.8), "Zoom in"),
            button("−", () => this.#view.zoom(1.25), "Zoom out"), button("Fit", () => this.#view.fit()),
            button("Arrange", () => this.#arrange()),
            h("span", {class: "quiet"}, "Drag to move, wheel to zoom, click for details"));
    }

    #arrange() {
        memory.set(this.#key, {});
        this.#points = this.#places({});
        this.#draw();
        this.#view.fit();
    }

    #bounds() {
        const edges = (direction) => this.#points.map(({x, y}, place) => {
            const {width, height} = this.#boxes[place];
            return {x: x + direction * width / 2, y: y + direction * height / 2};
        });
        const least = edges(-1);
        const most = edges(1);
        return {
            left: Math.min(...least.map((point) => point.x)), top: Math.min(...least.map((point) => point.y)),
            right: Math.max(...most.map((point) => point.x)), bottom: Math.max(...most.map((point) => point.y)),
        };
    }

    #draw() {
        this.#drawEdges();
        const nodes = this.#entities.map((entity, place) => entityBox(entity, this.#boxes[place], {
            point: () => this.#points[place], scale: () => this.#view.scale, choose: () => this.#choose(entity),
            move: (point) => this.#move(place, point), moved: () => this.#keep(entity.name, this.#points[place]),
        }));
        this.#nodes.replaceChildren(...nodes);
    }

    #move(place, point) {
        this.#points[place] = point;
        this.#drawEdges();
    }

    #keep(name, point) {
        memory.set(this.#key, {...memory.get(this.#key, {}), [name]: point});
    }

    #drawEdges() {
        const parents = this.#parents.map(({from, to}) => {
            const {d} = lineBetween(this.#place(from), this.#place(to), 0);
            return svg("path", {class: "edge parent", d, "marker-end": "url(#above)"});
        });
        const shapes = this.#shapes();
        const lines = this.#relations.map((relation, place) => relationLine(relation, shapes[place]));
        const labels = this.#relations.map((relation, place) => relationLabel(relation, shapes[place]));
        this.#edges.replaceChildren(...parents, ...lines, ...labels.filter((label) => label !== null));
    }

    #place(place) {
        return {box: this.#boxes[place], point: this.#points[place]};
    }

    /** The lines of the relations. Those between the same boxes are bent more and more. */
    #shapes() {
        const times = new Map();
        return this.#relations.map(({from, to}) => {
            if (from === to) return loopAround(this.#place(from), this.#ends(from));
            const pair = [from, to].sort().join();
            const time = times.get(pair) ?? 0;
            times.set(pair, time + 1);
            const bend = (time % 2 === 0 ? -1 : 1) * BEND * Math.ceil(time / 2);
            return lineBetween(this.#place(from), this.#place(to), bend);
        });
    }

    /** Where lines end at a box. */
    #ends(place) {
        const others = [...this.#relations, ...this.#parents]
            .filter(({from, to}) => from !== to && (from === place || to === place))
            .map(({from, to}) => from === place ? to : from);
        return others.map((other) => edgePoint(this.#boxes[place], this.#points[place], this.#points[other]));
    }
}

function marker([id, path]) {
    return svg("marker", {
        id, viewBox: "0 0 12 12", refX: 11, refY: 6, markerWidth: 12, markerHeight: 12, orient: "auto-start-reverse",
    }, svg("path", {d: path}));
}

function relationLine({relationship, inverse}, {d}) {
    const end = ({isToMany}) => isToMany ? "url(#many)" : "url(#one)";
    return svg("path", {
        class: "edge", d, "marker-end": end(relationship), "marker-start": inverse === undefined ? null : end(inverse),
    });
}

function relationLabel(relation, {middle}) {
    const text = rulesText(relation);
    if (text === "") return null;
    return svg("text", {class: "rule", x: middle.x, y: middle.y + 4, "text-anchor": "middle"}, text);
}
