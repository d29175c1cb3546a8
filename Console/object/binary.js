// SPDX-License-Identifier: Apache-2.0

// The editor of a binary attribute: it shows pictures and texts, takes files that are dropped, and hands the bytes out.
// The bytes of an existing object are stored at once, those of a new one with the object.

import {dataPath, open, send} from "../api.js";
import {h, show} from "../dom.js";
import {bytes} from "../format.js";
import {icon} from "../icons.js";
import {reportChange, session} from "../session.js";
import {download, problem, toast} from "../widgets.js";
import {endingOf, preview} from "./preview.js";

/** More is shown only when it is downloaded. */
const SHOWN_SIZE = 8_000_000;

/** More must be sent by itself, after the object was created. */
const BODY_SIZE = 8_000_000;

/**
 * @param {import("../model.js").Attribute} attribute
 * @param {Record<string, any> | null} object Null for a new one.
 * @param {() => void} changed
 * @param {() => void} reload Called when bytes were stored.
 * @param {{isReadOnly?: boolean}} [options]
 * @returns {import("../values.js").Editor}
 */
export function makeBinaryEditor(attribute, object, changed, reload, {isReadOnly = false} = {}) {
    const path = object === null ? null : dataPath(`${object._id}/${attribute.name}`);
    const state = h("div", {class: "row"});
    const media = h("div", {class: "media"});
    const failure = h("div");
    const control = h(
        "input", {type: "file", class: "visually-hidden", tabindex: "-1", onchange: () => take(control.files[0])},
    );
    const element = h("div", {class: "binary"}, state, media, failure, control);
    let present = object?.[attribute.name] ?? null;
    let content = null;

    async function take(file) {
        if (file === undefined) return;
        show(failure);
        try {
            if (path === null) await keep(file);
            else await store(file);
        } catch (error) {
            show(failure, problem(error));
        }
    }

    async function keep(file) {
        if (file.size > BODY_SIZE) throw new Error("The file is too large for a new object. Create the object first.");
        content = await base64(file);
        present = {bytes: file.size};
        draw();
        preview(file).then((shown) => show(media, shown));
        changed();
    }

    async function store(file) {
        await send(path, {method: "PUT", raw: file, type: file.type || "application/octet-stream"});
        const place = session.draft === null ? "was stored" : "is in the draft";
        toast(`${file.name}, ${bytes(file.size)}, ${place}.`);
        reportChange();
        reload();
    }

    async function clear() {
        if (path === null) {
            content = null;
            set(null);
            changed();
            return;
        }
        try {
            await send(path, {method: "DELETE"});
            toast(`${attribute.name} is nil now.`);
            reportChange();
            reload();
        } catch (error) {
            show(failure, problem(error));
        }
    }

    async function save() {
        try {
            const blob = await (await open(path)).blob();
            download(blob, `${object._id.replace("/", "-")}-${attribute.name}${await endingOf(blob)}`);
        } catch (error) {
            toast(error.message, "bad");
        }
    }

    function draw() {
        const choose = h(
            "button",
            {
                type: "button", class: "small", "aria-label": `Choose a file for ${attribute.name}`,
                onclick: () => control.click(),
            },
            icon("upload"), present === null ? "Choose a file" : "Replace",
        );
        show(state,
            h("span", {class: present === null ? "nil" : "number"}, present === null ? "nil" : bytes(present.bytes)),
            isReadOnly ? null : choose,
            present !== null && path !== null
                ? h(
                    "button",
                    {type: "button", class: "small", "aria-label": `Download ${attribute.name}`, onclick: save},
                    icon("download"), "Download",
                )
                : null,
            present !== null && attribute.isOptional && !isReadOnly
                ? h(
                    "button",
                    {type: "button", class: "small", "aria-label": `Set ${attribute.name} to nil`, onclick: clear},
                    "nil",
                )
                : null,
            isReadOnly ? null : h("span", {class: "quiet small-text hint"},
                path === null ? "or drop one here" : "or drop one here: it is stored at once"));
    }

    async function set(value) {
        present = value ?? null;
        draw();
        show(media);
        if (present === null || path === null || Number(present.bytes) > SHOWN_SIZE) return;
        try {
            show(media, await preview(await (await open(path)).blob()));
        } catch {
            // What can't be shown can be downloaded.
        }
    }

    if (!isReadOnly) listenForFiles(element, take);
    set(present);
    return {element, control, set, value: () => content ?? undefined};
}

function listenForFiles(element, take) {
    element.addEventListener("dragover", (event) => {
        if (!event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        element.classList.add("over");
    });
    element.addEventListener("dragleave", () => element.classList.remove("over"));
    element.addEventListener("drop", (event) => {
        event.preventDefault();
        element.classList.remove("over");
        take(event.dataTransfer.files[0]);
    });
}

/** The bytes of a file in base64. */
function base64(file) {
    return new Promise((resolve, reject) => {
        const reader = new FileReader();
        reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
        reader.onerror = () => reject(reader.error);
        reader.readAsDataURL(file);
    });
}
