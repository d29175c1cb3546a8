// SPDX-License-Identifier: Apache-2.0

// Attributes and relationships of a model document, in the long form that the editor changes, and as they are written.

/**
 * An attribute in the long form, whose type has no mark for optional ones.
 *
 * @param {string | Record<string, any>} value
 * @returns {Record<string, any> & {type: string, optional: boolean}}
 */
export function expandedAttribute(value) {
    const {type, composite, ...rest} = typeof value === "string" ? {type: value} : value;
    const written = String(type ?? composite ?? "");
    const optional = rest.optional ?? written.endsWith("?");
    return {...rest, type: written.replace(/\?$/, ""), optional};
}

/** @returns {string | Record<string, any>} The short form, if that says everything. */
export function compactAttribute({optional, type, ...rest}) {
    const short = type + (optional ? "?" : "");
    const others = defined(rest);
    return Object.keys(others).length === 0 ? short : {type: short, ...others};
}

/**
 * @param {string | Record<string, any>} value
 * @returns {Record<string, any>} With `destination`, `isToMany`, `isOptional`, `isOrdered` and `inverse`.
 */
export function expandedRelationship(value) {
    const {toMany, to, optional, ordered, ...rest} = typeof value === "string" ? fromShortForm(value) : value;
    const written = String(toMany ?? to ?? "");
    const isToMany = toMany !== undefined;
    return {
        ...rest, destination: written.replace(/\?$/, ""), isToMany,
        isOptional: optional ?? (isToMany || written.endsWith("?")), isOrdered: ordered === true,
    };
}

/** The long form of `[Post].author`. */
function fromShortForm(text) {
    const [, open, entity, mark, inverse] = /^(\[?)([^\].?]+)\]?(\??)(?:\.(.+))?$/.exec(text) ?? [];
    return defined({[open === "[" ? "toMany" : "to"]: `${entity ?? text}${mark ?? ""}`, inverse});
}

/** @returns {string | Record<string, any>} The short form, if that says everything. */
export function compactRelationship({destination, isToMany, isOptional, isOrdered, inverse, deleteRule, ...rest}) {
    const more = defined({
        ordered: isOrdered || undefined, deleteRule: deleteRule === "nullify" ? undefined : deleteRule,
        optional: isToMany && !isOptional ? false : undefined, ...rest,
    });
    const written = isToMany || !isOptional ? destination : `${destination}?`;
    if (Object.keys(more).length === 0) {
        return (isToMany ? `[${written}]` : written) + (inverse ? `.${inverse}` : "");
    }
    return defined({[isToMany ? "toMany" : "to"]: written, inverse: inverse || undefined, ...more});
}

/** Members in the long form, by name. @param {Record<string, any>} members @param {(value: any) => any} expand */
export function expandedMembers(members, expand) {
    return Object.fromEntries(Object.entries(members ?? {}).map(([name, value]) => [name, expand(value)]));
}

function defined(members) {
    return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
