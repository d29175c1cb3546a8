// SPDX-License-Identifier: Apache-2.0

// What a change of the model would do to the stores, in sentences and a table.

import {h} from "../dom.js";
import {counted} from "../format.js";
import {table} from "../widgets.js";
import {compareModels, differenceText} from "./differences.js";

/**
 * @param {{isChanged: boolean, stores: object[]}} answer Of `POST /api/model`.
 * @param {Record<string, any>} served The served version of the model.
 * @param {Record<string, any>} edited The edited one.
 * @returns {import("../dom.js").Child}
 */
export function rehearsalReport(answer, served, edited) {
    if (!answer.isChanged) return h("p", {}, "Nothing changes: this is the served model.");
    const stages = answer.stores.flatMap((store) => store.stages ?? []);
    const byEntity = Map.groupBy(compareModels(served, edited), ({place, kind, next}) =>
        place.length === 1 && kind === "renamed" ? next : place[0]);
    const losses = stages.flatMap((stage) => stage.losses ?? []);
    const violations = stages.flatMap((stage) => stage.violations ?? []);
    return [
        h("ul", {}, sentences(stages, losses, violations).map((sentence) => h("li", {}, sentence))),
        entityTable(stages.flatMap((stage) => stage.entities ?? []), byEntity),
    ];
}

function sentences(stages, losses, violations) {
    if (stages.length === 0) return ["No store has to be migrated."];
    return [
        ...(losses.length === 0 ? ["No value is lost."] : losses.map(lossText)), ...violations.map(violationText),
    ];
}

function lossText({entity, property, objects}) {
    return `${entity}.${property} is lost in ${counted(objects, "object")}.`;
}

function violationText({entity, message, objects, examples = [], isObstacle}) {
    const which = examples.slice(0, 3).join(", ");
    const effect = isObstacle ? "The store can't be migrated before that is mended."
        : "They stay as they are, and can't be saved before that is mended.";
    return `${counted(objects, "object")} of ${entity} would break a rule: ${message} Such as ${which}. ${effect}`;
}

/** A row for each entity that has differences, or whose objects don't stay as they are. */
function entityTable(entities, byEntity) {
    const touched = entities.filter((one) => one.outcome !== "kept").map((one) => one.name);
    const names = new Set([...byEntity.keys(), ...touched]);
    const rows = [...names].map((name) => {
        const entity = entities.find((one) => one.name === name || one.formerName === name);
        const changes = (byEntity.get(name) ?? []).map((one) => h("div", {}, wholeText(one) ?? differenceText(one)));
        return [title(name, entity), outcomeText(entity), changes];
    });
    return rows.length === 0 ? null : table(["Entity", "Its objects", "Changes of the model"], rows, "Entities");
}

function title(name, entity) {
    return entity?.formerName === undefined ? name : `${entity.formerName}, now ${entity.name}`;
}

/** A difference that concerns an entity as a whole. */
function wholeText({kind, place, old}) {
    if (place.length > 1) return null;
    if (kind === "renamed") return `was called ${old}`;
    return kind === "added" ? "is new" : "is removed";
}

function outcomeText(entity) {
    if (entity === undefined) return "";
    const count = entity.objects === undefined ? "all" : counted(entity.objects, "object");
    const excluded = entity.excluded > 0 ? `, ${counted(entity.excluded, "object")} deleted` : "";
    const text = {kept: "stay as they are", rewritten: `${count} rewritten`, deleted: `${count} deleted`};
    return text[entity.outcome] + excluded;
}
