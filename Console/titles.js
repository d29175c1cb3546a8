// SPDX-License-Identifier: Apache-2.0

// What names objects, for references that have come without.

import {dataPath, get, query} from "./api.js";
import {h} from "./dom.js";
import {titleOf} from "./format.js";
import {writeJSON} from "./json.js";
import {model} from "./model.js";
import {session} from "./session.js";

/** How many objects are named by one request. */
const NAMED = 100;

/**
 * The names of objects by their references, as far as they can be read.
 *
 * @param {string[]} references
 * @param {string | null} [draft] The draft in which they are looked for.
 * @returns {Promise<Map<string, string>>}
 */
export async function titlesOf(references, draft = session.draft) {
    const titles = new Map();
    const byEntity = Map.groupBy(references, (reference) => model.entityOf(reference));
    await Promise.all([...byEntity].map(async ([entity, own]) => {
        if (entity?.naming === undefined) return;
        const parameters = {where: "SELF IN %@", arg: writeJSON(own), select: entity.naming.name, limit: own.length};
        const answer = await get(dataPath(entity.path, draft) + query(parameters)).catch(() => ({items: []}));
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

/**
 * Lets the links of an element to objects show their names, when these have come.
 *
 * @param {Element} element
 * @param {string | null} [draft] The draft in which they are looked for.
 */
export async function nameReferences(element, draft = session.draft) {
    const isNameless = (link) => link.textContent === link.title;
    const links = [...element.querySelectorAll("a.reference")].filter(isNameless);
    const references = [...new Set(links.map((link) => link.title))];
    for (let place = 0; place < references.length; place += NAMED) {
        const titles = await titlesOf(references.slice(place, place + NAMED), draft);
        for (const link of links) link.textContent = titles.get(link.title) ?? link.textContent;
    }
}
