// SPDX-License-Identifier: Apache-2.0

// The roles and the rules in force, as the access file has them.

import {h} from "../dom.js";
import {model} from "../model.js";
import {table} from "../widgets.js";

const VERBS = ["read", "create", "update", "delete"];
const FEW = 6;

/**
 * @param {Record<string, any>} access The answer of `/api/auth/rules`.
 * @returns {HTMLElement}
 */
export function rules(access) {
    const names = model.entities.map((entity) => entity.name);
    const others = Object.keys(access.rules).filter((name) => !names.includes(name));
    const withRules = [...names, ...others].filter((name) => name in access.rules);
    const hasRules = (name) => [name, ...lineage(name)].some((one) => one in access.rules);
    const without = names.filter((name) => !hasRules(name));
    return h("div", {class: "access-rules"},
        table(["Role", "Has the rules of", "May"], Object.entries(access.roles).map(([name, role]) => [
            [h("span", {class: "badge"}, name), name === access.identity.anonymous ? " without a credential" : null],
            (role.extends ?? []).join(", "), role.administers ? "everything" : "what rules permit",
        ]), "Roles"),
        withRules.map((name) => entityRules(name, access.rules[name], withRules.length <= FEW)),
        without.length === 0 ? null
            : h("p", {class: "quiet"}, "Without rules, for those who administer alone: ", without.join(", "), "."));
}

/** The superentities of an entity, the nearest first. */
function lineage(name) {
    const parent = model.find(name)?.parentName ?? null;
    return parent === null ? [] : [parent, ...lineage(parent)];
}

function entityRules(name, own, isOpen) {
    const parent = lineage(name)[0];
    const rows = VERBS.flatMap((verb) => verbRows(verb, own[verb], parent));
    const properties = Object.entries(own.properties ?? {});
    const forced = Object.entries(own.set ?? {});
    return h("details", {open: isOpen},
        h("summary", {}, h("strong", {}, name)),
        table(["Verb", "Role", "If"], rows, `Rules for ${name}`),
        properties.length === 0 ? null
            : table(["Property", "Read by", "Written by"], properties.map(([property, roles]) =>
                [property, roleList(roles.read), roleList(roles.write)]), `Properties of ${name}`),
        forced.length === 0 ? null
            : h("p", {}, "New objects get ", forced.map(([property, value], place) =>
                [place === 0 ? null : ", ", h("code", {}, `${property} = ${text(value)}`)]), "."));
}

function verbRows(verb, roles, parent) {
    if (roles === undefined) return [[verb, "", parent === undefined ? "nobody" : `as for ${parent}`]];
    const entries = Object.entries(roles);
    if (entries.length === 0) return [[verb, "", "nobody"]];
    return entries.map(([role, rule], place) => [place === 0 ? verb : "", role, condition(rule)]);
}

function condition(rule) {
    if (rule === true) return "always";
    if (typeof rule === "string") return h("code", {}, rule);
    const part = (value) => value === true ? "always" : h("code", {}, String(value));
    return [part(rule.where), ", and afterwards ", part(rule.check)];
}

function roleList(roles) {
    if (roles === undefined) return h("span", {class: "quiet"}, "as the object");
    return roles.length === 0 ? "nobody" : roles.join(", ");
}

function text(value) {
    return typeof value === "string" && !value.startsWith("$") ? `"${value}"` : String(value);
}
