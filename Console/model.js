// SPDX-License-Identifier: Apache-2.0

// What is served: entities with their properties, from /api, /api/model and /api/queries.
"use strict";

/** The entities by the names that paths have for them. */
const catalogue = {
    entities: [], queries: [], stores: [], byPath: new Map(),

    async read() {
        const [index, model, queries] = await Promise.all([fetchJSON("/api"), fetchJSON("/api/model"), fetchJSON("/api/queries")]);
        const shapes = currentVersion(model).entities ?? {};
        this.entities = index.entities.map((entity) => new Entity(entity, shapes[entity.name] ?? {}));
        this.queries = queries.items;
        this.stores = index.stores ?? [];
        this.byPath.clear();
        for (const entity of this.entities) {
            this.byPath.set(entity.path, entity);
            this.byPath.set(entity.name, entity);
        }
        for (const entity of this.entities) entity.above = this.byPath.get(entity.parent ?? "") ?? null;
    },

    find(name) { return this.byPath.get(name) ?? null; },

    isReference(text) { return this.byPath.has(text.split("/")[0]); },
};

class Entity {
    constructor(index, shape) {
        this.name = index.name;
        this.path = index.path;
        this.href = index.href;
        this.isAbstract = index.abstract === true;
        this.parent = index.parent;
        this.own = [
            ...Object.entries(shape.attributes ?? {}).map(([name, value]) => attribute(name, value)),
            ...Object.entries(shape.relationships ?? {}).map(([name, value]) => relationship(name, value)),
            ...Object.entries(shape.fetchedProperties ?? {}).map(([name, value]) => ({name: apiName(name), kind: "fetched", entity: value.fetch?.entity, notes: ["fetched"]})),
        ];
    }

    /** Its properties, those of the entities above first. */
    get properties() { return [...(this.above?.properties ?? []), ...this.own]; }
    get attributes() { return this.properties.filter((property) => property.kind === "attribute"); }
    get relationships() { return this.properties.filter((property) => property.kind === "relationship"); }
    property(name) { return this.properties.find((property) => property.name === name); }
    get depth() { return this.above === null ? 0 : this.above.depth + 1; }
}

function apiName(name) { return name.startsWith("_") ? "_" + name : name; }

function attribute(name, value) {
    const long = typeof value === "string" ? {type: value} : value;
    const type = long.type ?? long.composite;
    const notes = [];
    if (long.default !== undefined) notes.push(`default ${writeJSON(long.default)}`);
    if (long.min !== undefined || long.max !== undefined) notes.push(`${long.min ?? "…"} to ${long.max ?? "…"}`);
    if (long.minLength !== undefined || long.maxLength !== undefined) notes.push(`${long.minLength ?? 0} to ${long.maxLength ?? "…"} long`);
    if (long.pattern !== undefined) notes.push(`like ${long.pattern}`);
    if (long.derived !== undefined) notes.push(`derived: ${long.derived}`);
    if (long.transient === true) notes.push("transient");
    return {
        name: apiName(name), kind: "attribute", type: type.replace(/\?$/, ""), isOptional: long.optional ?? type.endsWith("?"),
        isShown: long.transient !== true, isWritable: long.derived === undefined && long.transient !== true, notes,
    };
}

function relationship(name, value) {
    const short = typeof value === "string" ? /^(\[?)([^\].]+)\]?(?:\.(.+))?$/.exec(value) : null;
    const long = short === null ? value : {[short[1] === "[" ? "toMany" : "to"]: short[2], inverse: short[3]};
    const notes = [];
    if (long.ordered === true) notes.push("ordered");
    if (long.deleteRule !== undefined) notes.push(`on delete: ${long.deleteRule}`);
    if (long.inverse !== undefined) notes.push(`inverse ${long.inverse}`);
    const destination = long.toMany ?? long.to;
    return {
        name: apiName(name), kind: "relationship", entity: destination.replace(/\?$/, ""), isToMany: long.toMany !== undefined,
        isOptional: long.optional ?? destination.endsWith("?"), notes,
    };
}

function currentVersion(model) {
    if (model.versions === undefined) return model;
    return model.versions[model.current ?? Object.keys(model.versions)[0]] ?? {};
}

async function fetchJSON(target) {
    const response = await fetch(target, {headers: {Accept: "application/json"}});
    if (!response.ok) throw new Error(`${target}: ${response.status} ${response.statusText}`);
    return readJSON(await response.text());
}
