// SPDX-License-Identifier: Apache-2.0

// What is served: entities with their properties, from /api, /api/model and /api/queries.

import {get} from "./api.js";

/** The served model. */
export const model = {
    entities: [], queries: [], stores: [], links: {}, title: "", composites: {}, document: null, byName: new Map(),

    /** Reads it again. What an identity may not see is missing. */
    async read() {
        const [index, described, queries] = await Promise.all([
            get("/api"), get("/api/model").catch(() => null), get("/api/queries").catch(() => ({items: []})),
        ]);
        this.document = described;
        this.title = index.title;
        this.links = index.links ?? {};
        this.stores = index.stores ?? [];
        this.queries = queries.items;
        const version = currentVersion(described ?? {});
        this.composites = version.composites ?? {};
        this.entities = index.entities.map((entity) => new Entity(entity, version.entities?.[entity.name] ?? {}));
        this.byName = new Map(this.entities.flatMap((entity) => [[entity.path, entity], [entity.name, entity]]));
        return this;
    },

    find(name) { return this.byName.get(name) ?? null; },

    /** The entity of a reference, such as `posts/7`. */
    entityOf(reference) { return this.find(String(reference).split("/")[0]); },
};

/** The version that is served, of a document that may have several. */
export function currentVersion(document) {
    if (document.versions === undefined) return document;
    return document.versions[document.current ?? Object.keys(document.versions)[0]] ?? {};
}

const TITLES = ["name", "title", "label", "subject", "displayname", "fullname", "username", "email", "summary", "slug", "key", "text"];

class Entity {
    constructor(index, shape) {
        this.name = index.name;
        this.path = index.path;
        this.isAbstract = index.abstract === true;
        this.parentName = index.parent ?? null;
        this.shape = shape;
        this.ownAttributes = Object.entries(shape.attributes ?? {}).map(([name, value]) => attribute(name, value));
        this.ownRelationships = Object.entries(shape.relationships ?? {}).map(([name, value]) => relationship(name, value));
        this.fetched = Object.entries(shape.fetchedProperties ?? {})
            .map(([name, value]) => ({name: apiName(name), kind: "fetched", destination: value.fetch?.entity, predicate: value.fetch?.predicate}));
    }

    get parent() { return this.parentName === null ? null : model.find(this.parentName); }
    get children() { return model.entities.filter((entity) => entity.parentName === this.name); }

    /** Its attributes, those of the entities above first. */
    get attributes() { return [...(this.parent?.attributes ?? []), ...this.ownAttributes]; }
    get relationships() { return [...(this.parent?.relationships ?? []), ...this.ownRelationships]; }
    get properties() { return [...this.attributes, ...this.relationships]; }
    property(name) { return this.properties.find((property) => property.name === name); }
    get toOnes() { return this.relationships.filter((relationship) => !relationship.isToMany); }
    get isSearchable() { return this.attributes.some((attribute) => attribute.isSearchable); }

    /** The attribute that people know its objects by, or undefined. */
    get title() {
        const texts = this.attributes.filter((attribute) => attribute.type === "String" && attribute.isStored);
        const named = TITLES.map((title) => texts.find((text) => text.name.toLowerCase() === title)).find(Boolean);
        return named ?? texts.find((text) => !text.isOptional && text.isWritable) ?? texts[0];
    }

    /** All that can be columns: the title, the other attributes in the model's order, and to-one relationships. */
    get columns() {
        const title = this.title;
        const others = this.attributes.filter((attribute) => attribute.isStored && attribute !== title);
        return [...(title === undefined ? [] : [title]), ...others, ...this.toOnes];
    }

    /** The entities whose objects it has: itself and those below it that aren't abstract. */
    get kinds() { return [...(this.isAbstract ? [] : [this]), ...this.children.flatMap((child) => child.kinds)]; }
    get depth() { return this.parent === null ? 0 : this.parent.depth + 1; }
}

function apiName(name) { return name.startsWith("_") ? "_" + name : name; }

function attribute(name, value) {
    const long = typeof value === "string" ? {type: value} : value;
    const type = long.type ?? long.composite ?? "String";
    const bare = type.replace(/\?$/, "");
    const isOptional = long.optional ?? type.endsWith("?");
    return {
        name: apiName(name), kind: "attribute", type: bare, isOptional, isStored: long.transient !== true,
        isWritable: long.derived === undefined, derived: long.derived, isTransient: long.transient === true,
        isSearchable: long.searchIndexed === true, default: long.default, min: long.min, max: long.max,
        minLength: long.minLength, maxLength: long.maxLength, pattern: long.pattern, shape: long,
        choices: choices(long.pattern), isColour: bare === "String" && /#\[0-9a-f/i.test(long.pattern ?? ""),
    };
}

/** The values that a pattern of alternatives permits, or null: `draft|published`. */
function choices(pattern) {
    const inner = /^\(?([\w -]+(?:\|[\w -]+)+)\)?$/.exec(pattern ?? "");
    return inner === null ? null : inner[1].split("|");
}

function relationship(name, value) {
    const short = typeof value === "string" ? /^(\[?)([^\].]+)\]?(\??)(?:\.(.+))?$/.exec(value) : null;
    const long = short === null ? value : {[short[1] === "[" ? "toMany" : "to"]: short[2] + short[3], inverse: short[4]};
    const destination = long.toMany ?? long.to ?? "";
    return {
        name: apiName(name), kind: "relationship", destination: destination.replace(/\?$/, ""), isToMany: long.toMany !== undefined,
        isOptional: long.optional ?? (long.toMany !== undefined || destination.endsWith("?")), isOrdered: long.ordered === true,
        deleteRule: long.deleteRule ?? "nullify", inverse: long.inverse, min: long.min, max: long.max, isWritable: true,
        isStored: true, type: "Relationship", shape: long,
    };
}

/** The text of a rule that a property has, in words. */
export function rules(property) {
    const found = [];
    const {min, max, minLength, maxLength} = property;
    if (property.kind === "relationship") {
        if (property.isOrdered) found.push("ordered");
        if (min !== undefined || max !== undefined) found.push(`${min ?? 0} to ${max ?? "…"} objects`);
        if (property.deleteRule !== "nullify") found.push(`on delete: ${property.deleteRule}`);
        return found;
    }
    if (property.default !== undefined) found.push(`default ${JSON.stringify(property.default)}`);
    if (min !== undefined || max !== undefined) found.push(`${min ?? "…"} to ${max ?? "…"}`);
    if (minLength !== undefined || maxLength !== undefined) found.push(`${minLength ?? 0} to ${maxLength ?? "…"} characters`);
    if (property.pattern !== undefined) found.push(`matches ${property.pattern}`);
    if (property.derived !== undefined) found.push(`derived: ${property.derived}`);
    if (property.isTransient) found.push("transient");
    if (property.isSearchable) found.push("searchable");
    return found;
}

export const NUMBERS = new Set(["Int16", "Int32", "Int64", "Integer16", "Integer32", "Integer64", "Double", "Float", "Decimal"]);
