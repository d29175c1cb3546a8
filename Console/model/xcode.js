// SPDX-License-Identifier: Apache-2.0

// Writes a model as the folder that Xcode opens, in a tar archive.

import {currentVersion} from "../model.js";
import {expandedAttribute as expanded, expandedRelationship} from "./shapes.js";

const TYPES = {Int16: "Integer 16", Int32: "Integer 32", Int64: "Integer 64", Bool: "Boolean", ObjectID: "ObjectID"};
const RULES = {nullify: "Nullify", cascade: "Cascade", deny: "Deny", noAction: "No Action"};
/** Seconds between the beginnings of 1970 and of 2001. */
const REFERENCE = 978_307_200;

const escaped = (text) => String(text).replace(/[&<>"\n\t]/g, (mark) => `&#${mark.codePointAt(0)};`);

function element(name, attributes, children = []) {
    const text = Object.entries(attributes).filter(([, value]) => value !== undefined && value !== null && value !== false)
        .map(([key, value]) => ` ${key}="${escaped(value === true ? "YES" : value)}"`).join("");
    return children.length === 0 ? [`<${name}${text}/>`] : [`<${name}${text}>`, ...children.flat().map((line) => "    " + line), `</${name}>`];
}

function defaults(type, value) {
    if (value === undefined || value === null) return {};
    if (type === "Date") {
        const seconds = typeof value === "number" ? value : Date.parse(value) / 1000 - REFERENCE;
        return {defaultDateTimeInterval: seconds};
    }
    return {defaultValueString: type === "Bool" ? value ? "YES" : "NO" : value};
}

function bounds(type, long) {
    const least = long.minLength ?? long.min, most = long.maxLength ?? long.max;
    if (type !== "Date") return {minValueString: least, maxValueString: most};
    const seconds = (value) => value === undefined ? undefined : typeof value === "number" ? value : Date.parse(value) / 1000 - REFERENCE;
    return {minDateTimeInterval: seconds(least), maxDateTimeInterval: seconds(most)};
}

function attribute(name, value, composites) {
    const long = expanded(value), isComposite = composites[long.type] !== undefined;
    return element("attribute", {
        name, optional: long.optional, transient: long.transient, attributeType: isComposite ? "Composite" : TYPES[long.type] ?? long.type,
        ...bounds(long.type, long), ...defaults(long.type, long.default), regularExpressionString: long.pattern,
        allowsExternalBinaryDataStorage: long.externalStorage, derived: long.derived !== undefined, derivationExpression: long.derived,
        valueTransformerName: long.transformer, spotlightIndexingEnabled: long.searchIndexed, preserveAfterDeletion: long.preservedAfterDeletion,
        indexed: long.indexed, elementID: long.renamedFrom, versionHashModifier: long.versionHashModifier, composite: isComposite ? long.type : undefined,
        usesScalarValueType: ["Int16", "Int32", "Int64", "Double", "Float", "Bool"].includes(long.type) ? (long.optional ? "NO" : "YES") : undefined,
    });
}

function relationship(name, value) {
    const long = expandedRelationship(value);
    return element("relationship", {
        name, optional: long.isOptional, transient: long.transient, toMany: long.isToMany, minCount: long.min, maxCount: long.isToMany ? long.max : 1,
        deletionRule: RULES[long.deleteRule ?? "nullify"], ordered: long.isOrdered, destinationEntity: long.destination,
        inverseName: long.inverse, inverseEntity: long.inverse === undefined ? undefined : long.destination, elementID: long.renamedFrom,
    });
}

function index(name, value) {
    const long = Array.isArray(value) ? {elements: value} : value;
    return element("fetchIndex", {name, partialIndexPredicate: long.where}, (long.elements ?? []).map((one) => {
        const part = typeof one === "string" ? {property: one.replace(/^-/, ""), descending: one.startsWith("-")} : one;
        return element("fetchIndexElement", {property: part.property, expression: part.expression, type: part.kind === "rTree" ? "RTree" : "Binary", expressionType: part.expression === undefined ? undefined : TYPES[part.type] ?? part.type, order: part.descending ? "descending" : "ascending"});
    }));
}

function userInfo(entries) {
    return Object.keys(entries ?? {}).length === 0 ? [] : [element("userInfo", {}, Object.entries(entries).map(([key, value]) => element("entry", {key, value: typeof value === "string" ? value : JSON.stringify(value)})))];
}

function entity(name, shape, composites) {
    const unique = (shape.unique ?? []).map((one) => element("uniquenessConstraint", {}, [one].flat().map((value) => element("constraint", {value}))));
    return element("entity", {name, representedClassName: shape.class ?? name, isAbstract: shape.abstract, parentEntity: shape.parent, elementID: shape.renamedFrom, syncable: true}, [
        ...Object.entries(shape.attributes ?? {}).map(([key, value]) => attribute(key, value, composites)),
        ...Object.entries(shape.relationships ?? {}).map(([key, value]) => relationship(key, value)),
        ...Object.entries(shape.fetchedProperties ?? {}).map(([key, value]) => element("fetchedProperty", {name: key, optional: true}, [element("fetchRequest", {name: "fetchedPropertyFetchRequest", entity: value.fetch?.entity, predicateString: value.fetch?.predicate})])),
        ...Object.entries(shape.indexes ?? {}).map(([key, value]) => index(key, value)),
        ...(unique.length === 0 ? [] : [element("uniquenessConstraints", {}, unique)]), ...userInfo(shape.userInfo),
    ]);
}

/** The file `contents` of a version of a model. */
export function contents(document) {
    const version = currentVersion(document), composites = version.composites ?? {};
    const lines = element("model", {
        type: "com.apple.IDECoreDataModeler.DataModel", documentVersion: "1.0", lastSavedToolsVersion: "22522", systemVersion: "23A344",
        minimumToolsVersion: "Automatic", sourceLanguage: "Swift", userDefinedModelVersionIdentifier: (version.versionIdentifiers ?? []).join(","),
    }, [
        ...Object.entries(version.entities ?? {}).map(([name, shape]) => entity(name, shape, composites)),
        ...Object.entries(version.fetchRequestTemplates ?? {}).map(([name, value]) => element("fetchRequest", {name, entity: value.entity, predicateString: value.predicate, fetchLimit: value.limit})),
        ...Object.entries(version.configurations ?? {}).map(([name, members]) => element("configuration", {name}, members.map((member) => element("memberEntity", {name: member})))),
        ...Object.entries(composites).map(([name, shape]) => element("composite", {name}, Object.entries(shape.attributes ?? {}).map(([key, value]) => attribute(key, value, composites)))),
    ]);
    return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${lines.join("\n")}\n`;
}

/** A tar archive with `NAME.xcdatamodeld`. */
export function archive(document, name) {
    const folder = `${name}.xcdatamodeld/${name}.xcdatamodel`;
    return new Blob([...file(`${folder}/contents`, contents(document)), new Uint8Array(1024)], {type: "application/x-tar"});
}

function file(path, text) {
    const content = new TextEncoder().encode(text), head = new Uint8Array(512), encoder = new TextEncoder();
    const write = (value, offset) => head.set(encoder.encode(value), offset);
    write(path.slice(0, 99), 0);
    write("0000644\0", 100);
    write("0000000\0", 108);
    write("0000000\0", 116);
    write(content.length.toString(8).padStart(11, "0") + "\0", 124);
    write("00000000000\0", 136);
    write("        ", 148);
    write("0", 156);
    write("ustar\0" + "00", 257);
    const sum = head.reduce((total, byte) => total + byte, 0);
    write(sum.toString(8).padStart(6, "0") + "\0 ", 148);
    return [head, content, new Uint8Array((512 - content.length % 512) % 512)];
}
