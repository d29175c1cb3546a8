// SPDX-License-Identifier: Apache-2.0

// Shows bytes whose kind is known by how they begin. Pictures are drawn on a canvas; SVG isn't shown, since it may have
// scripts.

import {h} from "../dom.js";

const KINDS = [
    [".png", "image/png", [0x89, 0x50, 0x4e, 0x47]], [".jpg", "image/jpeg", [0xff, 0xd8, 0xff]],
    [".gif", "image/gif", [0x47, 0x49, 0x46, 0x38]], [".bmp", "image/bmp", [0x42, 0x4d]],
    [".webp", "image/webp", [0x52, 0x49, 0x46, 0x46]], [".pdf", "application/pdf", [0x25, 0x50, 0x44, 0x46]],
    [".zip", "application/zip", [0x50, 0x4b, 0x03, 0x04]], [".gz", "application/gzip", [0x1f, 0x8b]],
    [".sqlite", "application/vnd.sqlite3", [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65]],
];
const TEXT_SIZE = 2000;

/**
 * What shows some bytes, or null.
 *
 * @param {Blob} blob
 * @returns {Promise<HTMLElement | null>}
 */
export async function preview(blob) {
    const kind = await kindOf(blob);
    if (kind?.[1].startsWith("image/")) return picture(blob, kind[1]);
    return kind === null ? text(blob) : h("span", {class: "badge"}, kind[1]);
}

/** The ending of the name of a file with some bytes. @param {Blob} blob */
export async function endingOf(blob) {
    return (await kindOf(blob))?.[0] ?? "";
}

async function kindOf(blob) {
    const begin = new Uint8Array(await blob.slice(0, 16).arrayBuffer());
    return KINDS.find(([, , bytes]) => bytes.every((byte, place) => begin[place] === byte)) ?? null;
}

async function picture(blob, type) {
    const image = await createImageBitmap(new Blob([blob], {type}));
    const label = `Picture, ${image.width} by ${image.height} pixels`;
    const isTiny = Math.max(image.width, image.height) < 64;
    const canvas = h(
        "canvas",
        {
            role: "img", "aria-label": label, title: label, class: isTiny ? "tiny" : null, $width: image.width,
            $height: image.height,
        },
    );
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas;
}

/** The beginning of a text; null if it is none. */
async function text(blob) {
    try {
        const content = new TextDecoder("utf-8", {fatal: true}).decode(
            await blob.slice(0, TEXT_SIZE).arrayBuffer(), {stream: true},
        );
        return content === "" || /[\0-\x08\x0e-\x1f]/.test(content) ? null : h("pre", {class: "card"}, content);
    } catch {
        return null;
    }
}
