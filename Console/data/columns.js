// SPDX-License-Identifier: Apache-2.0

// The columns of a list: which ones, in which order and how wide, as the person has chosen and this browser remembers.

import {isNumeric} from "../format.js";
import {memory} from "../memory.js";
import {model} from "../model.js";

const UNSORTED = new Set(["Binary", "Transformable", "ObjectID", "Undefined"]);
const NARROWEST = 56;
const LONG_TEXT = 230;

/** How many related objects are named in a list: a server embeds 20 relationships at most, unless told otherwise. */
const NAMED = 15;

const WIDTHS = {Bool: 84, Date: 196, UUID: 264, Binary: 84, Transformable: 200, URI: 200};

export class Column {
    /** @param {import("../model.js").Attribute | import("../model.js").Relationship} property */
    constructor(property) {
        this.property = property;
        this.name = property.name;
        this.isNumeric = isNumeric(property);
        this.width = widthFor(property);
        /** Whether the person has chosen the width. */
        this.isSized = false;
    }

    /** Whether it takes a part of the free width: a text, unless it is a short one. */
    get isGrowing() {
        return !this.isSized && this.property.type === "String" && this.width >= LONG_TEXT;
    }

    /** What the list is sorted by for this column; null if that isn't possible. */
    get sortKey() {
        const {property} = this;
        if (property.kind === "relationship") return this.#naming === undefined ? null : this.selection;
        return UNSORTED.has(property.type) || model.composites[property.type] !== undefined ? null : property.name;
    }

    /** What is requested for it. */
    get selection() {
        const naming = this.property.kind === "relationship" ? this.#naming : undefined;
        return naming === undefined ? this.name : `${this.name}.${naming.name}`;
    }

    /** Whether it can have a filter. */
    get isFiltered() {
        return this.sortKey !== null;
    }

    get #naming() {
        return model.find(this.property.destination)?.naming;
    }
}

export class Columns {
    /** @type {Column[]} All columns, in their order. */
    all;
    #entity;
    #hidden;
    #key;

    /** @param {import("../model.js").Entity} entity */
    constructor(entity) {
        this.#entity = entity;
        this.#key = `columns.${entity.name}`;
        const {hidden = [], order = [], widths = {}} = memory.get(this.#key, {});
        this.#hidden = new Set(hidden);
        const columns = entity.columns.map((property) => new Column(property));
        const rank = (column) => {
            const place = order.indexOf(column.name);
            return place < 0 ? order.length + columns.indexOf(column) : place;
        };
        this.all = [...columns].sort((one, other) => rank(one) - rank(other));
        for (const column of columns.filter(({name}) => widths[name] !== undefined)) {
            column.width = widths[column.name];
            column.isSized = true;
        }
    }

    /** @returns {Column[]} */
    get visible() {
        return this.all.filter((column) => !this.#hidden.has(column.name));
    }

    /** What is requested: the visible columns, and the naming attribute. */
    get selection() {
        const {naming} = this.#entity;
        const related = this.visible.filter((column) => column.selection !== column.name);
        const named = new Set(related.slice(0, NAMED));
        const names = new Set(this.visible.map((column) =>
            related.includes(column) && !named.has(column) ? column.name : column.selection));
        if (naming !== undefined) names.add(naming.name);
        return names.size === 0 ? "_id" : [...names].join(",");
    }

    /** What a file gets: related objects as references, which an import takes. */
    get exported() {
        const {naming} = this.#entity;
        const names = new Set([...(naming === undefined ? [] : [naming.name]), ...this.visible.map(({name}) => name)]);
        return names.size === 0 ? "_id" : [...names].join(",");
    }

    isVisible(column) {
        return !this.#hidden.has(column.name);
    }

    toggle(column) {
        if (!this.#hidden.delete(column.name)) this.#hidden.add(column.name);
        this.#remember();
    }

    /** Moves a column to where another one is. */
    move(column, target) {
        const place = this.all.indexOf(target);
        this.all.splice(this.all.indexOf(column), 1);
        this.all.splice(place, 0, column);
        this.#remember();
    }

    resize(column, width) {
        column.width = Math.max(NARROWEST, Math.round(width));
        column.isSized = true;
        this.#remember();
    }

    /** Returns to the model's order and to all columns. */
    reset() {
        memory.set(this.#key, {});
        const {all} = new Columns(this.#entity);
        this.all = all;
        this.#hidden = new Set();
    }

    #remember() {
        memory.set(this.#key, {
            hidden: [...this.#hidden], order: this.all.map((column) => column.name),
            widths: Object.fromEntries(
                this.all.filter(({isSized}) => isSized).map((column) => [column.name, column.width]),
            ),
        });
    }
}

function widthFor(property) {
    if (property.kind === "relationship") return 170;
    const byName = property.name.length * 8 + 34;
    const byType = isNumeric(property) ? 92 : WIDTHS[property.type];
    const forText = property.maxLength !== undefined && property.maxLength <= 60 ? 150 : LONG_TEXT;
    return Math.max(byType ?? forText, Math.min(byName, 190));
}
