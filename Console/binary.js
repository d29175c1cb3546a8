// SPDX-License-Identifier: Apache-2.0

// A binary attribute: shown if it is a picture, replaced by dropping a file, and downloaded.

import {dataPath, fetched, send} from "./api.js";
import {h, show} from "./dom.js";
import {bytes} from "./format.js";
import {rules} from "./model.js";
import {download, toast} from "./widgets.js";

const PICTURES = [["image/bmp", [0x42, 0x4d]], ["image/png", [0x89, 0x50, 0x4e, 0x47]], ["image/jpeg", [0xff, 0xd8, 0xff]], ["image/gif", [0x47, 0x49, 0x46, 0x38]], ["image/webp", [0x52, 0x49, 0x46, 0x46]]];

/** The type of a picture by its first bytes, or null. SVG isn't shown: it may have scripts. */
export function pictureType(content) { return PICTURES.find(([, first]) => first.every((byte, place) => content[place] === byte))?.[0] ?? null; }

export function binaryField(object, attribute, changed) {
    const path = dataPath(`${object._id}/${attribute.name}`);
    const value = object[attribute.name];
    const media = h("div", {class: "media"});
    const input = h("input", {type: "file", "aria-label": `File for ${attribute.name}`, onchange: () => put(input.files[0])});
    async function put(file) {
        if (file === undefined || file === null) return;
        try { await send(path, {method: "PUT", raw: file, type: file.type || "application/octet-stream"}); toast(`${file.name}, ${bytes(file.size)}, stored.`); changed(); }
        catch (error) { toast(error.message, "bad"); }
    }
    async function clear() {
        try { await send(path, {method: "DELETE"}); changed(); } catch (error) { toast(error.message, "bad"); }
    }
    async function preview() {
        try {
            const response = await fetched(path);
            if (!response.ok) return;
            const content = new Uint8Array(await response.arrayBuffer());
            const type = pictureType(content);
            if (type !== null) {
                const canvas = h("canvas", {role: "img", "aria-label": `${attribute.name} of ${object._id}`});
                const picture = await createImageBitmap(new Blob([content], {type}));
                canvas.width = picture.width;
                canvas.height = picture.height;
                canvas.getContext("2d").drawImage(picture, 0, 0);
                show(media, canvas);
            }
        } catch { /* What can't be shown can be downloaded. */ }
    }
    async function save() {
        const response = await fetched(path);
        download(await response.blob(), `${object._id.replace("/", "-")}-${attribute.name}`);
    }
    const drop = h("div", {class: "drop"}, value ? h("div", {class: "row"}, h("span", {}, bytes(value.bytes)), h("button", {type: "button", class: "small", onclick: save}, "Download"), h("button", {type: "button", class: "small", onclick: clear}, "Clear")) : h("span", {class: "quiet"}, "nil: drop a file here"), media, input);
    drop.addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("over"); });
    drop.addEventListener("dragleave", () => drop.classList.remove("over"));
    drop.addEventListener("drop", (event) => { event.preventDefault(); drop.classList.remove("over"); put(event.dataTransfer.files[0]); });
    if (value && Number(value.bytes) < 4_000_000) preview();
    return h("div", {class: "field"}, h("span", {class: "label"}, attribute.name), drop, h("div", {class: "rules"}, rules(attribute).join(" · ")));
}
