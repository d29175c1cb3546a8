// SPDX-License-Identifier: Apache-2.0

// The schemas of the OpenAPI document: references are resolved, and schemas that extend others have all members.

import {h} from "../dom.js";
import {json} from "../format.js";
import {table} from "../widgets.js";
import {marked} from "./marked.js";
import {opening} from "./opening.js";

export class Schemas {
    #document;

    /** @param {Record<string, any>} openapi */
    constructor(openapi) {
        this.#document = openapi;
    }

    /** What a reference stands for, such as that of a parameter; other values stand for themselves. */
    resolve(value) {
        if (value?.$ref === undefined) return value;
        const parts = value.$ref.slice(2).split("/").map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
        const found = parts.reduce((place, part) => place?.[part], this.#document);
        return this.resolve(found);
    }

    /** A schema with the members of all that it extends. */
    #merged(schema) {
        const {allOf, ...own} = this.resolve(schema) ?? {};
        if (allOf === undefined) return own;
        const parts = [...allOf.map((part) => this.#merged(part)), own];
        return {
            ...Object.assign({}, ...parts), properties: Object.assign({}, ...parts.map((part) => part.properties)),
            required: parts.flatMap((part) => part.required ?? []),
        };
    }

    /** The type of a schema in a few words. @returns {string} */
    typeOf(schema) {
        if (schema === undefined) return "";
        const merged = this.#merged(schema);
        const options = merged.anyOf ?? merged.oneOf;
        if (merged.enum !== undefined) return merged.enum.join(" | ");
        if (merged.const !== undefined) return String(merged.const);
        if (hasMembers(merged)) return nameOf(schema) ?? "object";
        if (options !== undefined) return [...new Set(options.map((one) => this.typeOf(one)))].join(" or ");
        if (merged.items !== undefined) return `list of ${this.typeOf(merged.items)}`;
        return plainType(merged) || nameOf(schema) || "any";
    }

    /** The members of a schema; those of its members are opened one by one. @returns {import("../dom.js").Child} */
    shown(schema) {
        const merged = this.#merged(schema);
        if (hasMembers(merged)) return this.#memberTable(merged, nameOf(schema));
        const options = merged.anyOf ?? merged.oneOf ?? (merged.items === undefined ? [] : [merged.items]);
        if (options.length === 0) return h("pre", {class: "json"}, json(this.resolve(schema)));
        return options.map((one) => this.#option(one, merged.items === undefined ? "" : "list of "));
    }

    #option(schema, word) {
        const text = word + this.typeOf(schema);
        if (!this.#canBeOpened(schema)) return h("div", {class: "bare-answer"}, text);
        return opening(h("details", {}, h("summary", {}, text)), () => this.shown(schema));
    }

    #memberTable({properties, required = []}, name) {
        const rows = Object.entries(properties).map(([member, schema]) => [
            [h("code", {}, member), required.includes(member) ? " *" : ""], this.#memberType(schema),
            h("span", {class: "quiet"}, marked(this.#merged(schema).description ?? "")),
        ]);
        return table([name ?? "Member", "Type", "What it is"], rows, name);
    }

    #memberType(schema) {
        const text = this.typeOf(schema);
        if (!this.#canBeOpened(schema)) return text;
        return opening(h("details", {}, h("summary", {}, text)), () => this.shown(schema));
    }

    /** Whether a schema has more to show than its type. */
    #canBeOpened(schema) {
        const merged = this.#merged(schema);
        if (hasMembers(merged)) return true;
        const parts = merged.anyOf ?? merged.oneOf ?? (merged.items === undefined ? [] : [merged.items]);
        return parts.some((part) => this.#canBeOpened(part));
    }
}

function hasMembers({properties}) {
    return Object.keys(properties ?? {}).length > 0;
}

function nameOf(schema) {
    return schema.$ref?.split("/").pop();
}

function plainType({type, format, maxLength}) {
    if (maxLength === 0) return "empty";
    const text = [type].flat().filter(Boolean).join(" or ");
    return format === undefined ? text : `${text} (${format})`;
}
