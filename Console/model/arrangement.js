// SPDX-License-Identifier: Apache-2.0

// Places the boxes of a diagram so that related ones are near each other and none overlap. The same model always gets
// the same places.

/**
 * @typedef {{x: number, y: number}} Point
 * @typedef {{width: number, height: number}} Box
 */

const ROUNDS = 260;
/** How far apart the middles of related boxes come to be, about. */
const DISTANCE = 320;
const PULL = 0.06;
const GAP = {x: 60, y: 44};
const GRID = {x: 270, y: 260};

/**
 * @param {Box[]} boxes
 * @param {Array<[number, number]>} links The places of boxes that are related.
 * @returns {Point[]} The middles of the boxes.
 */
export function arranged(boxes, links) {
    const columns = Math.max(1, Math.ceil(Math.sqrt(boxes.length * 1.4)));
    const points = boxes.map((_, place) => ({
        x: (place % columns) * GRID.x, y: Math.floor(place / columns) * GRID.y,
    }));
    for (let round = 0; round < ROUNDS; round += 1) {
        const heat = 1 - round / ROUNDS;
        for (const [one, other] of links) attract(points[one], points[other], heat);
        separateAll(points, boxes);
    }
    return points;
}

function attract(one, other, heat) {
    if (one === other) return;
    const dx = other.x - one.x;
    const dy = other.y - one.y;
    const distance = Math.hypot(dx, dy) || 1;
    const pull = (distance - DISTANCE) / distance * PULL * heat;
    one.x += dx * pull;
    one.y += dy * pull;
    other.x -= dx * pull;
    other.y -= dy * pull;
}

function separateAll(points, boxes) {
    for (let one = 0; one < boxes.length; one += 1) {
        for (let other = one + 1; other < boxes.length; other += 1) {
            separate(points[one], points[other], boxes[one], boxes[other]);
        }
    }
}

/** Moves two boxes that overlap, in the direction in which they overlap less. */
function separate(one, other, box, otherBox) {
    const dx = other.x - one.x || 0.1;
    const dy = other.y - one.y || 0.1;
    const overX = (box.width + otherBox.width) / 2 + GAP.x - Math.abs(dx);
    const overY = (box.height + otherBox.height) / 2 + GAP.y - Math.abs(dy);
    if (overX <= 0 || overY <= 0) return;
    const axis = overX < overY ? "x" : "y";
    const step = axis === "x" ? Math.sign(dx) * overX / 2 : Math.sign(dy) * overY / 2;
    one[axis] -= step;
    other[axis] += step;
}
