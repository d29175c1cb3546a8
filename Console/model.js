// SPDX-License-Identifier: Apache-2.0

// The served model: entities with their properties in the model's order, from /api, /api/model and /api/queries.

import {get, send} from "./api.js";
import {readDescription, unrestricted} from "./description.js";
import {makeAttribute, makeFetchedProperty, makeRelationship} from "./properties.js";

/**
 * @typedef {import("./properties.js").Attribute} Attribute
 * @typedef {import("./properties.js").Relationship} Relationship
 * @typedef {import("./properties.js").FetchedProperty} FetchedProperty
 */

/** The model that is served. What an identity may not see is missing. */
export const model = {
    /** @type {Entity[]} */
    entities: [],
    /** @type {Array<{name: string, entity: string, predicate: string, variables: object[], href: string}>} */
    queries: [],
    /** @type {Array<{uuid: string, type: string, readOnly: boolean}>} */
    stores: [],
    /** @type {Record<string, {attributes: Record<string, any>}>} The composite types by name. */
    composites: {},
    /** The paths of the API by what they are, such as `contexts`. */
    links: {},
    title: "Outcrop",
    /** Whether the server has access rules, so that signing in may show more. */
    hasAccessRules: false,
    /** Whether people can sign in with a name and a password; null as long as it isn't known. */
    hasAccounts: null,
    /** Whether access rules permit everything, also the history as a whole and the server's statistics. */
    mayAdminister: true,
    /** The version of the server's program. */
    serverVersion: "",
    /** The model as `/api/model` shows it, or null. */
    document: null,
    /** @type {Map<string, Entity>} By name and by path. */
    byName: new Map(),

    /** Reads it again. */
    async read() {
        const [answer, document, queries] = await Promise.all([
            send("/api"), get("/api/model").catch(() => null), get("/api/queries").catch(() => ({items: []})),
        ]);
        const index = answer.value;
        const version = currentVersion(document ?? {});
        this.document = document;
        this.hasAccessRules = (answer.headers.get("Vary") ?? "").includes("Authorization");
        const description = this.hasAccessRules ? await readDescription() : unrestricted;
        this.hasAccounts = this.hasAccessRules && description.has("/api/auth/sign-in");
        this.mayAdminister = description.has("/api/stats");
        this.title = index.title || "Outcrop";
        this.serverVersion = index.version ?? "";
        this.links = index.links ?? {};
        this.stores = index.stores ?? [];
        this.queries = queries.items;
        this.composites = version.composites ?? {};
        this.entities = index.entities.map((entry) =>
            new Entity(entry, version.entities?.[entry.name] ?? {}, description));
        this.byName = new Map(this.entities.flatMap((entity) => [[entity.path, entity], [entity.name, entity]]));
    },

    /** @param {string} name A name or a path. @returns {Entity | null} */
    find(name) {
        return this.byName.get(name) ?? null;
    },

    /** The entity of a reference, such as `posts/7`. @param {string} reference @returns {Entity | null} */
    entityOf(reference) {
        return this.find(String(reference).split("/")[0]);
    },

    /** Whether nothing can be changed. */
    get isReadOnly() {
        return this.entities.every((entity) => ["create", "update", "delete"].every((verb) => !entity.can(verb)));
    },

    /** The entities in the order of a tree: each before those below it. @returns {Entity[]} */
    get tree() {
        const withSubentities = (entity) => [entity, ...entity.subentities.flatMap(withSubentities)];
        return this.entities.filter((entity) => entity.parent === null).flatMap(withSubentities);
    },
};

/** The served version of a model document, which may have several. */
export function currentVersion(document) {
    if (document.versions === undefined) return document;
    return document.versions[document.current ?? Object.keys(document.versions).at(-1)] ?? {};
}

/** The names of attributes that usually name an object, the best first. */
const NAMING = [
    "name", "title", "label", "subject", "displayname", "fullname", "username", "email", "summary", "slug", "key",
];

export class Entity {
    #readOnly;
    #set;
    /** @type {Attribute[] | undefined} */
    #attributes;
    /** @type {Relationship[] | undefined} */
    #relationships;

    /**
     * @param {Record<string, any>} entry Its entry in `/api`.
     * @param {Record<string, any>} shape Its model in JSON.
     * @param {import("./description.js").Description} description
     */
    constructor(entry, shape, description) {
        this.name = entry.name;
        this.path = entry.path;
        this.isAbstract = entry.abstract === true;
        this.parentName = entry.parent ?? null;
        /** What can be done with its objects: by access rules, and unless the stores are read-only. */
        this.verbs = new Set(entry.verbs ?? ["read", "create", "update", "delete"]);
        this.#readOnly = new Set(entry.readOnly ?? []);
        this.#set = new Set(entry.set ?? []);
        /** Its description in the model: `unique`, `indexes`, `userInfo` and so on. */
        this.shape = shape;
        /** @type {Attribute[]} Without those of its parent. */
        this.ownAttributes = Object.entries(shape.attributes ?? {}).map(makeAttribute)
            .filter((attribute) => !attribute.isStored || description.shows(this.name, attribute.name))
            .map((attribute) => this.#ruled(attribute));
        /** @type {Relationship[]} */
        this.ownRelationships = Object.entries(shape.relationships ?? {}).map(makeRelationship)
            .map((relationship) => this.#ruled(relationship));
        /** @type {FetchedProperty[]} */
        this.ownFetchedProperties = Object.entries(shape.fetchedProperties ?? {}).map(makeFetchedProperty);
    }

    /** @returns {Entity | null} */
    get parent() {
        return this.parentName === null ? null : model.find(this.parentName);
    }

    /** @returns {Entity[]} */
    get subentities() {
        return model.entities.filter((entity) => entity.parentName === this.name);
    }

    /** How many entities are above it. */
    get depth() {
        return this.parent === null ? 0 : this.parent.depth + 1;
    }

    /** The entities that its objects may have: itself and those below it, without abstract ones. @returns {Entity[]} */
    get concrete() {
        return [...(this.isAbstract ? [] : [this]), ...this.subentities.flatMap((entity) => entity.concrete)];
    }

    /** @returns {Attribute[]} Those of its parent first. */
    get attributes() {
        this.#attributes ??= [...this.#inherited("attributes"), ...this.ownAttributes];
        return this.#attributes;
    }

    /** @returns {Relationship[]} */
    get relationships() {
        this.#relationships ??= [...this.#inherited("relationships"), ...this.ownRelationships];
        return this.#relationships;
    }

    #inherited(kind) {
        return (this.parent?.[kind] ?? []).map((property) => this.#ruled(property));
    }

    /** A property as access rules permit it for objects of this entity. */
    #ruled(property) {
        const isProtected = this.#readOnly.has(property.name);
        const isSet = this.#set.has(property.name);
        if (!isProtected && !isSet) return property;
        return {...property, isWritable: property.isWritable && !isProtected, isProtected, isSet};
    }

    /** @returns {FetchedProperty[]} */
    get fetchedProperties() {
        return [...(this.parent?.fetchedProperties ?? []), ...this.ownFetchedProperties];
    }

    get toOnes() {
        return this.relationships.filter((relationship) => !relationship.isToMany);
    }

    get toManys() {
        return this.relationships.filter((relationship) => relationship.isToMany);
    }

    /** Its attributes and relationships. @returns {Array<Attribute | Relationship>} */
    get properties() {
        return [...this.attributes, ...this.relationships];
    }

    /** @param {string} name @returns {Attribute | Relationship | undefined} */
    property(name) {
        return this.properties.find((property) => property.name === name);
    }

    /** @param {"read" | "create" | "update" | "delete"} verb */
    can(verb) {
        return this.verbs.has(verb);
    }

    /** Whether lists of it can be searched for words. */
    get isSearchable() {
        return this.attributes.some((attribute) => attribute.isSearchable);
    }

    /** The attribute that names its objects to people. @returns {Attribute | undefined} */
    get naming() {
        const texts = this.attributes.filter((attribute) => attribute.type === "String" && attribute.isStored);
        const usual = NAMING.map((name) => texts.find((text) => text.name.toLowerCase() === name)).find(Boolean);
        const free = texts.filter((text) => !text.isDerived && text.choices === null && !text.isColor);
        return usual ?? free.find((text) => !text.isOptional) ?? free[0];
    }

    /** All that may be columns of a table: the naming attribute, then the model's order. */
    get columns() {
        const {naming} = this;
        const others = this.attributes.filter((attribute) => attribute.isStored && attribute !== naming);
        return [...(naming === undefined ? [] : [naming]), ...others, ...this.toOnes];
    }

    /** The sets of properties that are unique together. @returns {string[][]} */
    get uniqueSets() {
        return [...(this.parent?.uniqueSets ?? []), ...(this.shape.unique ?? []).map((names) => [names].flat())];
    }
}
