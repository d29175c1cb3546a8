// SPDX-License-Identifier: Apache-2.0

// What each role sees: the entities and properties of its own model, side by side.

import {get} from "../api.js";
import {h, show} from "../dom.js";
import {memory} from "../memory.js";
import {currentVersion, model} from "../model.js";
import {Turns} from "../turns.js";
import {problem, table} from "../widgets.js";

const NOTE = "Rules may bind objects to conditions, too; “See it as another” shows which objects a role sees.";

/** @param {string[]} roles All roles. */
export function visibility(roles) {
    const remembered = memory.get("roles", []).filter((role) => roles.includes(role));
    const known = remembered.length > 0 ? remembered : roles.slice(0, 4);
    const place = h("div", {class: "scroll"});
    const turns = new Turns();
    const input = h("input", {
        type: "text", "aria-label": "Roles", placeholder: "public, member, editor", $value: known.join(", "),
    });
    const submit = (event) => {
        event.preventDefault();
        const chosen = input.value.split(",").map((role) => role.trim()).filter((role) => role !== "");
        memory.set("roles", chosen);
        compare(chosen, place, turns.begin());
    };
    if (known.length > 0) compare(known, place, turns.begin());
    return h("div", {},
        h("form", {class: "row", onsubmit: submit}, h("span", {class: "spring"}, input), h("button", {}, "Compare")),
        place);
}

async function compare(roles, place, isLatest) {
    show(place, h("p", {class: "quiet"}, "Asking …"));
    try {
        const models = await Promise.all(roles.map((role) => modelFor(role)));
        if (!isLatest()) return;
        const rows = model.entities.map((entity) => [entity.name, ...models.map((one) => seen(entity, one))]);
        show(place, table(["Entity", ...roles], rows, "What roles see"), h("p", {class: "quiet"}, NOTE));
    } catch (error) {
        if (isLatest()) show(place, problem(error));
    }
}

/** The model that a role sees. */
async function modelFor(role) {
    return currentVersion(await get("/api/model", {headers: {"Act-As": `role=${role}`}}));
}

/** Which properties of an entity a model has. */
function seen(entity, version) {
    const shape = version.entities?.[entity.name];
    if (shape === undefined) return h("span", {class: "badge"}, "nothing");
    const visible = {...shape.attributes, ...shape.relationships};
    const own = [...entity.ownAttributes, ...entity.ownRelationships].map((property) => property.name);
    const hidden = own.filter((name) => !(name in visible));
    if (hidden.length === 0) return h("span", {class: "badge good"}, "all properties");
    const count = `${own.length - hidden.length} of ${own.length}`;
    return [h("span", {class: "badge warn"}, count), ` without ${hidden.join(", ")}`];
}
