// SPDX-License-Identifier: Apache-2.0

// What the API's description tells beyond the model, where access rules are in force: which operations there are for
// those who ask, and which attributes no request can name, such as those of passwords.

import {get} from "./api.js";

const PREFIX = "#/components/schemas/";

/**
 * @typedef {object} Description
 * @property {(path: string) => boolean} has Whether a path can be requested. A description that can't be read has all.
 * @property {(entity: string, attribute: string) => boolean} shows Whether objects of an entity have an attribute.
 */

/** @returns {Promise<Description>} */
export async function readDescription() {
    const document = await get("/openapi.json").catch(() => null);
    if (document === null) return unrestricted;
    const schemas = document.components?.schemas ?? {};
    return {
        has: (path) => document.paths?.[path] !== undefined,
        shows: (entity, attribute) => schemas[entity] === undefined || hasProperty(schemas[entity], attribute, schemas),
    };
}

/** The description of a server without access rules. @type {Description} */
export const unrestricted = {
    has: () => true,
    shows: () => true,
};

function hasProperty(schema, name, schemas) {
    if (schema.properties?.[name] !== undefined) return true;
    const parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
    return parts.some((part) => hasProperty(resolved(part, schemas), name, schemas));
}

function resolved(schema, schemas) {
    return schema.$ref?.startsWith(PREFIX) ? schemas[schema.$ref.slice(PREFIX.length)] ?? {} : schema;
}
