// SPDX-License-Identifier: Apache-2.0

// What names objects, for references that have come without.

import {dataPath, get, query} from "./api.js";
import {h} from "./dom.js";
import {titleOf} from "./format.js";
import {writeJSON} from "./json.js";
import {model} from "./model.js";

/**
 * The names of objects by their references, as far as they can be read.
 *
 * @param {string[]} references
 * @returns {Promise<Map<string, string>>}
 */
export async function titlesOf(references) {
    const titles = new Map();
    const byEntity = Map.groupBy(references, (reference) => model.entityOf(reference));
    await Promise.all([...byEntity].map(async ([entity, own]) => {
        if (entity?.naming === undefined) return;
        const parameters = {where: "SELF IN %@", arg: writeJSON(own), select: entity.naming.name, limit: own.length};
        const answer = await get(dataPath(entity.path) + query(parameters)).catch(() => ({items: []}));
        for (const object of answer.items) titles.set(object._id, titleOf(object));
    }));
    return titles;
}

/** Links to objects, which show their names when these have come. @param {string[]} references */
export function namedLinks(references) {
    const links = new Map(
        references.map((reference) =>
            [reference, h("a", {href: `#/object/${reference}`, title: reference}, reference)]),
    );
    titlesOf(references).then((titles) => {
        for (const [reference, title] of titles) links.get(reference).textContent = title;
    });
    return [...links.values()];
}
