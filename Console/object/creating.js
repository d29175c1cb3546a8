// SPDX-License-Identifier: Apache-2.0

// Creates an object in a dialog, with the values that it needs.

import {Creation} from "../creation.js";
import {h} from "../dom.js";
import {reportChange} from "../session.js";
import {dialog} from "../widgets.js";
import {ObjectForm} from "./form.js";

/**
 * @param {import("../model.js").Entity} entity
 * @param {Record<string, any>} values What it begins with.
 * @returns {Promise<Record<string, any> | null>} The object, or null if none was created.
 */
export async function createInDialog(entity, values) {
    let form = null;
    const creation = new Creation();
    const object = await dialog(`New ${entity.name}`, (close) => {
        const create = async () => {
            const valid = await form.validValues();
            if (valid === null) return;
            try {
                const value = await creation.run(entity, valid);
                reportChange();
                close(value);
            } catch (error) {
                form.fail(error);
            }
        };
        form = new ObjectForm(entity, values, {isNew: true, submit: create});
        return [form.element, h("div", {class: "buttons"},
            h("button", {type: "button", onclick: () => close()}, "Cancel"),
            h("button", {type: "submit", class: "primary", form: form.element.id}, "Create"))];
    }, {isWide: true});
    form.leave();
    return object ?? null;
}
