// SPDX-License-Identifier: Apache-2.0

// The diagram of a model: boxes that can be moved, over lines for relationships and inheritance; it pans and zooms.

import {h, svg} from "../dom.js";
import {memory} from "../memory.js";
import {model} from "../model.js";

const WIDTH = 190, LINE = 16, HEAD = 26, MOST = 10;

/** The properties that a box shows. */
function linesOf(entity) {
    const all = [...entity.ownAttributes.map((one) => [one.name, one.type + (one.isOptional ? "?" : "")]), ...entity.ownRelationships.map((one) => [one.name, one.isToMany ? `[${one.destination}]` : one.destination])];
    return all.length <= MOST ? all : [...all.slice(0, MOST - 1), [`${all.length - MOST + 1} more`, ""]];
}

/**
 * Places boxes so that related ones are near each other and none overlap. The same model gets the same places.
 *
 * @param {Array<{width: number, height: number}>} boxes
 * @param {Array<[number, number]>} links
 */
export function arranged(boxes, links) {
    const columns = Math.max(1, Math.ceil(Math.sqrt(boxes.length * 1.4)));
    const points = boxes.map((box, place) => ({x: (place % columns) * 270, y: Math.floor(place / columns) * 260}));
    for (let round = 0; round < 260; round += 1) {
        const heat = 1 - round / 260;
        for (const [one, other] of links) {
            if (one === other) continue;
            const dx = points[other].x - points[one].x, dy = points[other].y - points[one].y, distance = Math.hypot(dx, dy) || 1;
            const pull = (distance - 320) / distance * 0.06 * heat;
            points[one].x += dx * pull; points[one].y += dy * pull;
            points[other].x -= dx * pull; points[other].y -= dy * pull;
        }
        for (let one = 0; one < boxes.length; one += 1) {
            for (let other = one + 1; other < boxes.length; other += 1) {
                const gapX = (boxes[one].width + boxes[other].width) / 2 + 60, gapY = (boxes[one].height + boxes[other].height) / 2 + 44;
                const dx = points[other].x - points[one].x || 0.1, dy = points[other].y - points[one].y || 0.1;
                if (Math.abs(dx) >= gapX || Math.abs(dy) >= gapY) continue;
                const overX = gapX - Math.abs(dx), overY = gapY - Math.abs(dy);
                if (overX < overY) { points[one].x -= Math.sign(dx) * overX / 2; points[other].x += Math.sign(dx) * overX / 2; }
                else { points[one].y -= Math.sign(dy) * overY / 2; points[other].y += Math.sign(dy) * overY / 2; }
            }
        }
    }
    return points;
}

/** Where a line from the middle of a box leaves it. */
function edgePoint(box, point, toward) {
    const dx = toward.x - point.x, dy = toward.y - point.y;
    const factor = Math.min(dx === 0 ? Infinity : box.width / 2 / Math.abs(dx), dy === 0 ? Infinity : box.height / 2 / Math.abs(dy));
    return {x: point.x + dx * factor, y: point.y + dy * factor};
}

/** @param {(entity: object) => void} choose */
export function diagram(choose, selected = null) {
    const {entities} = model;
    const boxes = entities.map((entity) => ({width: WIDTH, height: HEAD + Math.max(1, linesOf(entity).length) * LINE + 8}));
    const index = new Map(entities.map((entity, place) => [entity.name, place]));
    const relations = entities.flatMap((entity) => entity.ownRelationships.filter((one) => index.has(one.destination)).map((one) => ({from: index.get(entity.name), to: index.get(one.destination), relationship: one, entity})));
    // A relationship and its inverse are one line.
    const lines = relations.filter((one) => { const inverse = relations.find((other) => other.from === one.to && other.to === one.from && other.relationship.name === one.relationship.inverse); one.inverse = inverse?.relationship; return inverse === undefined || relations.indexOf(inverse) >= relations.indexOf(one); });
    const parents = entities.filter((entity) => entity.parent !== null).map((entity) => ({from: index.get(entity.name), to: index.get(entity.parent.name)}));
    const points = arranged(boxes, [...lines.map((one) => [one.from, one.to]), ...parents.map((one) => [one.from, one.to])]);
    const key = `diagram.${model.title}`, kept = memory.get(key, {});
    entities.forEach((entity, place) => { if (kept[entity.name]) points[place] = {...kept[entity.name]}; });
    const marker = (id, path) => svg("marker", {id, viewBox: "0 0 12 12", refX: 11, refY: 6, markerWidth: 12, markerHeight: 12, orient: "auto-start-reverse"}, svg("path", {d: path}));
    const edges = svg("g"), nodes = svg("g");
    const element = svg("svg", {class: "diagram", role: "img", "aria-label": `Diagram of ${entities.length} entities`, tabindex: "0"}, svg("defs", {}, marker("many", "M11 1 L3 6 L11 11 M3 6 H11"), marker("one", "M6 1 V11"), marker("above", "M2 1 L11 6 L2 11 Z")), edges, nodes);
    const view = {x: 0, y: 0, width: 1000, height: 700};
    const look = () => element.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);

    function fit() {
        const left = Math.min(...points.map((point, place) => point.x - boxes[place].width / 2)) - 40, top = Math.min(...points.map((point, place) => point.y - boxes[place].height / 2)) - 40;
        Object.assign(view, {x: left, y: top, width: Math.max(600, Math.max(...points.map((point, place) => point.x + boxes[place].width / 2)) + 40 - left), height: Math.max(400, Math.max(...points.map((point, place) => point.y + boxes[place].height / 2)) + 40 - top)});
        look();
    }

    function drawEdges() {
        const along = (from, to, bend) => {
            const begin = edgePoint(boxes[from], points[from], points[to]), end = edgePoint(boxes[to], points[to], points[from]);
            const middle = {x: (begin.x + end.x) / 2 + (end.y - begin.y) * bend, y: (begin.y + end.y) / 2 - (end.x - begin.x) * bend};
            return {d: `M${begin.x} ${begin.y} Q${middle.x} ${middle.y} ${end.x} ${end.y}`, middle: {x: (begin.x + 2 * middle.x + end.x) / 4, y: (begin.y + 2 * middle.y + end.y) / 4}};
        };
        const seen = new Map();
        edges.replaceChildren(...parents.map(({from, to}) => svg("path", {class: "edge parent", d: along(from, to, 0).d, "marker-end": "url(#above)"})), ...lines.flatMap(({from, to, relationship, inverse}) => {
            const isOn = selected !== null && (entities[from].name === selected || entities[to].name === selected);
            if (from === to) {
                const {x, y} = points[from], right = x + boxes[from].width / 2, up = y - boxes[from].height / 2;
                return [svg("path", {class: isOn ? "edge on" : "edge", d: `M${right - 46} ${up} C${right - 46} ${up - 46} ${right + 46} ${up + 20} ${right} ${up + 40}`, "marker-end": relationship.isToMany ? "url(#many)" : "url(#one)"})];
            }
            const pair = [from, to].sort().join(), times = seen.get(pair) ?? 0;
            seen.set(pair, times + 1);
            const {d, middle} = along(from, to, times === 0 ? 0 : (times % 2 === 0 ? -1 : 1) * 0.16 * Math.ceil(times / 2));
            const rules = [relationship.deleteRule, inverse?.deleteRule].filter((rule) => rule !== undefined && rule !== "nullify");
            return [svg("path", {class: isOn ? "edge on" : "edge", d, "marker-end": relationship.isToMany ? "url(#many)" : "url(#one)", "marker-start": inverse === undefined ? null : inverse.isToMany ? "url(#many)" : "url(#one)"}),
                rules.length === 0 ? null : svg("text", {class: "rule", x: middle.x, y: middle.y - 3, "text-anchor": "middle"}, rules.join(", "))].filter(Boolean);
        }));
    }

    function drawNodes() {
        nodes.replaceChildren(...entities.map((entity, place) => {
            const {width, height} = boxes[place];
            const group = svg("g", {class: entity.name === selected ? "entity on" : "entity", tabindex: "0", role: "link", "aria-label": `${entity.name}, ${entity.attributes.length} attributes`},
                svg("rect", {class: "box", width, height, rx: 6}), svg("path", {class: "boxhead", d: `M0 ${HEAD} V6 Q0 0 6 0 H${width - 6} Q${width} 0 ${width} 6 V${HEAD} Z`}),
                svg("text", {class: "title", x: 10, y: 18, "font-style": entity.isAbstract ? "italic" : null}, entity.name),
                linesOf(entity).flatMap(([name, type], line) => [svg("text", {x: 10, y: HEAD + 15 + line * LINE}, clipped(name, 18)), svg("text", {class: "type", x: width - 10, y: HEAD + 15 + line * LINE, "text-anchor": "end"}, clipped(type, 12))]));
            const move = () => group.setAttribute("transform", `translate(${points[place].x - width / 2} ${points[place].y - height / 2})`);
            move();
            group.addEventListener("pointerdown", (event) => {
                event.stopPropagation();
                const scale = view.width / element.clientWidth, begin = {x: event.clientX, y: event.clientY, ...{px: points[place].x, py: points[place].y}};
                let hasMoved = false;
                group.setPointerCapture(event.pointerId);
                group.onpointermove = (next) => {
                    if (!hasMoved && Math.hypot(next.clientX - begin.x, next.clientY - begin.y) < 4) return;
                    hasMoved = true;
                    points[place] = {x: begin.px + (next.clientX - begin.x) * scale, y: begin.py + (next.clientY - begin.y) * scale};
                    move(); drawEdges();
                };
                group.onpointerup = () => {
                    group.onpointermove = null; group.onpointerup = null;
                    if (hasMoved) memory.set(key, {...memory.get(key, {}), [entity.name]: points[place]}); else choose(entity);
                };
            });
            group.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(entity); } });
            return group;
        }));
    }

    function zoom(factor, x = element.clientWidth / 2, y = element.clientHeight / 2) {
        const width = Math.min(20_000, Math.max(200, view.width * factor)), change = width / view.width;
        const at = {x: view.x + x / element.clientWidth * view.width, y: view.y + y / element.clientHeight * view.height};
        Object.assign(view, {x: at.x - (at.x - view.x) * change, y: at.y - (at.y - view.y) * change, width, height: view.height * change});
        look();
    }
    element.addEventListener("wheel", (event) => { event.preventDefault(); zoom(event.deltaY > 0 ? 1.12 : 0.89, event.offsetX, event.offsetY); }, {passive: false});
    element.addEventListener("pointerdown", (event) => {
        element.setPointerCapture(event.pointerId);
        const begin = {x: event.clientX, y: event.clientY, vx: view.x, vy: view.y};
        element.onpointermove = (next) => { const scale = view.width / element.clientWidth; view.x = begin.vx - (next.clientX - begin.x) * scale; view.y = begin.vy - (next.clientY - begin.y) * scale; look(); };
        element.onpointerup = () => { element.onpointermove = null; };
    });
    element.addEventListener("keydown", (event) => {
        const step = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[event.key];
        if (step !== undefined) { event.preventDefault(); view.x += step[0] * view.width / 12; view.y += step[1] * view.height / 12; look(); }
        else if (event.key === "+" || event.key === "-") zoom(event.key === "+" ? 0.85 : 1.18);
        else if (event.key === "0") fit();
    });
    drawEdges();
    drawNodes();
    fit();
    return h("div", {}, h("div", {class: "row"}, h("button", {class: "small", onclick: () => zoom(0.8), "aria-label": "Zoom in"}, "+"), h("button", {class: "small", onclick: () => zoom(1.25), "aria-label": "Zoom out"}, "−"), h("button", {class: "small", onclick: fit}, "Fit"),
        h("button", {class: "small", onclick: () => { memory.set(key, {}); dispatchEvent(new HashChangeEvent("hashchange")); }}, "Arrange"), h("span", {class: "quiet"}, "Drag to move, wheel to zoom, click for details")), element);
}

function clipped(text, most) { return text.length > most ? text.slice(0, most - 1) + "…" : text; }
