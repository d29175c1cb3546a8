// SPDX-License-Identifier: Apache-2.0

// The lines of a diagram: where they leave the boxes, and how they bend.

/**
 * @typedef {import("./arrangement.js").Point} Point
 * @typedef {import("./arrangement.js").Box} Box
 */

/** How far the ends of a loop are from its corner, and the points that bend it. */
const LOOP = 40;
const BULGE = 88;

/** Where a line from the middle of a box leaves it. @param {Box} box @param {Point} point @param {Point} toward */
export function edgePoint(box, point, toward) {
    const dx = toward.x - point.x;
    const dy = toward.y - point.y;
    const factorX = dx === 0 ? Infinity : box.width / 2 / Math.abs(dx);
    const factorY = dy === 0 ? Infinity : box.height / 2 / Math.abs(dy);
    const factor = Math.min(factorX, factorY);
    return {x: point.x + dx * factor, y: point.y + dy * factor};
}

/**
 * A line between two boxes.
 *
 * @param {{box: Box, point: Point}} from
 * @param {{box: Box, point: Point}} to
 * @param {number} bend How far it is bent, as a part of its length.
 * @returns {{d: string, middle: Point}}
 */
export function lineBetween(from, to, bend) {
    const begin = edgePoint(from.box, from.point, to.point);
    const end = edgePoint(to.box, to.point, from.point);
    const control = {
        x: (begin.x + end.x) / 2 + (end.y - begin.y) * bend, y: (begin.y + end.y) / 2 - (end.x - begin.x) * bend,
    };
    const middle = {x: (begin.x + 2 * control.x + end.x) / 4, y: (begin.y + 2 * control.y + end.y) / 4};
    return {d: `M${begin.x} ${begin.y} Q${control.x} ${control.y} ${end.x} ${end.y}`, middle};
}

/**
 * A line from a box to itself, around the corner that is farthest from other lines.
 *
 * @param {{box: Box, point: Point}} place
 * @param {Point[]} ends Where other lines end.
 * @returns {{d: string, middle: Point}}
 */
export function loopAround({box, point}, ends) {
    const corners = [[1, -1], [1, 1], [-1, -1], [-1, 1]].map(([right, down]) => ({
        right, down, x: point.x + right * box.width / 2, y: point.y + down * box.height / 2,
    }));
    const room = (corner) => Math.min(Infinity, ...ends.map((end) => Math.hypot(end.x - corner.x, end.y - corner.y)));
    const {right, down, x, y} = corners.reduce((best, corner) => room(corner) > room(best) ? corner : best);
    const begin = {x: x - right * LOOP, y};
    const end = {x, y: y - down * LOOP};
    const controls = `${begin.x} ${y + down * BULGE} ${x + right * BULGE} ${end.y}`;
    const middle = {x: x + right * BULGE / 4, y: y + down * BULGE / 4};
    return {d: `M${begin.x} ${begin.y} C${controls} ${end.x} ${end.y}`, middle};
}
