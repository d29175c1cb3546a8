// SPDX-License-Identifier: Apache-2.0

// Writes a model as the folder that Xcode opens, in a tar archive.

import {currentVersion} from "../model.js";
import {expandedAttribute, expandedRelationship} from "./shapes.js";
import {tarFile} from "./tar.js";
import {element, xmlDocument} from "./xml.js";

const TYPES = {Int16: "Integer 16", Int32: "Integer 32", Int64: "Integer 64", Bool: "Boolean", ObjectID: "ObjectID"};
const SCALARS = new Set(["Int16", "Int32", "Int64", "Double", "Float", "Bool"]);
const RULES = {nullify: "Nullify", cascade: "Cascade", deny: "Deny", noAction: "No Action"};
/** Seconds between the beginnings of 1970 and of 2001. */
const REFERENCE = 978_307_200;
/** The most bytes of a name, which an archive has twice in a path. */
const LONGEST = 64;
const MODEL = {
    type: "com.apple.IDECoreDataModeler.DataModel", documentVersion: "1.0", lastSavedToolsVersion: "22522",
    systemVersion: "23A344", minimumToolsVersion: "Automatic", sourceLanguage: "Swift",
};

/** A title as the name of a file, as far as an archive has room for it. @param {string} title */
export function fileName(title) {
    const characters = [...title.replace(/[/\\:\p{Cc}]/gu, "-")];
    while (new TextEncoder().encode(characters.join("")).length > LONGEST) characters.pop();
    return characters.join("");
}

/** A tar archive with `NAME.xcdatamodeld`. @param {Record<string, any>} document @param {string} name */
export function archive(document, name) {
    const file = tarFile(`${name}.xcdatamodeld/${name}.xcdatamodel`, "contents", contents(document));
    return new Blob([...file, new Uint8Array(1024)], {type: "application/x-tar"});
}

/** The file `contents` of a version of a model. @param {Record<string, any>} document */
export function contents(document) {
    const version = currentVersion(document);
    const composites = version.composites ?? {};
    const identifier = (version.versionIdentifiers ?? []).join(",");
    return xmlDocument(element("model", {...MODEL, userDefinedModelVersionIdentifier: identifier}, [
        ...mapped(version.entities, (name, shape) => entity(name, shape, composites)),
        ...mapped(version.fetchRequestTemplates, template), ...mapped(version.configurations, configuration),
        ...mapped(composites, (name, {attributes}) =>
            element("composite", {name}, mapped(attributes, (key, value) => attribute(key, value, composites)))),
    ]));
}

function mapped(members, make) {
    return Object.entries(members ?? {}).map(([name, value]) => make(name, value));
}

function template(name, {entity: subject, predicate, limit}) {
    return element("fetchRequest", {name, entity: subject, predicateString: predicate, fetchLimit: limit});
}

function configuration(name, value) {
    const members = Array.isArray(value) ? value : value.entities ?? [];
    return element("configuration", {name}, members.map((member) => element("memberEntity", {name: member})));
}

function entity(name, shape, composites) {
    const {class: representedClassName = name, abstract, parent, renamedFrom} = shape;
    const attributes = {
        name, representedClassName, isAbstract: abstract, parentEntity: parent, elementID: renamedFrom, syncable: true,
    };
    return element("entity", attributes, [
        ...mapped(shape.attributes, (key, value) => attribute(key, value, composites)),
        ...mapped(shape.relationships, relationship), ...mapped(shape.fetchedProperties, fetchedProperty),
        ...mapped(shape.indexes, index), ...uniqueness(shape.unique ?? []), ...userInfo(shape.userInfo ?? {}),
    ]);
}

function attribute(name, value, composites) {
    const long = expandedAttribute(value);
    const {type, optional} = long;
    const isComposite = composites[type] !== undefined;
    return element("attribute", {
        name, optional, transient: long.transient,
        attributeType: isComposite ? "Composite" : TYPES[type] ?? type, ...bounds(long), ...defaults(long),
        regularExpressionString: long.pattern, allowsExternalBinaryDataStorage: long.externalStorage,
        derived: long.derived !== undefined, derivationExpression: long.derived,
        valueTransformerName: long.transformer, spotlightIndexingEnabled: long.searchIndexed,
        preserveAfterDeletion: long.preservedAfterDeletion, indexed: long.indexed, elementID: long.renamedFrom,
        versionHashModifier: long.versionHashModifier, composite: isComposite ? type : undefined,
        usesScalarValueType: SCALARS.has(type) ? (optional ? "NO" : "YES") : undefined,
    });
}

function bounds({type, min, max, minLength = min, maxLength = max}) {
    if (type !== "Date") return {minValueString: minLength, maxValueString: maxLength};
    return {minDateTimeInterval: interval(minLength), maxDateTimeInterval: interval(maxLength)};
}

function defaults({type, default: value}) {
    if (value === undefined || value === null) return {};
    if (type === "Date") return {defaultDateTimeInterval: interval(value)};
    return {defaultValueString: type === "Bool" ? (value ? "YES" : "NO") : value};
}

/** A date as the seconds since the beginning of 2001. */
function interval(value) {
    return value === undefined || typeof value === "number" ? value : Date.parse(value) / 1000 - REFERENCE;
}

function relationship(name, value) {
    const {isOptional, isToMany, isOrdered, destination, inverse, deleteRule = "nullify", ...long} =
        expandedRelationship(value);
    return element("relationship", {
        name, optional: isOptional, transient: long.transient, toMany: isToMany, minCount: long.min,
        maxCount: isToMany ? long.max : 1, deletionRule: RULES[deleteRule], ordered: isOrdered,
        destinationEntity: destination, inverseName: inverse,
        inverseEntity: inverse === undefined ? undefined : destination, elementID: long.renamedFrom,
    });
}

function fetchedProperty(name, {fetch = {}}) {
    const request = element("fetchRequest", {
        name: "fetchedPropertyFetchRequest", entity: fetch.entity, predicateString: fetch.predicate,
    });
    return element("fetchedProperty", {name, optional: true}, [request]);
}

function index(name, value) {
    const {elements = [], where} = Array.isArray(value) ? {elements: value} : value;
    return element("fetchIndex", {name, partialIndexPredicate: where}, elements.map(indexElement));
}

function indexElement(value) {
    const {property, expression, kind, type, descending} = typeof value === "string"
        ? {property: value.replace(/^-/, ""), descending: value.startsWith("-")} : value;
    return element("fetchIndexElement", {
        property, expression, type: kind === "rTree" ? "RTree" : "Binary",
        expressionType: expression === undefined ? undefined : TYPES[type] ?? type,
        order: descending ? "descending" : "ascending",
    });
}

function uniqueness(unique) {
    if (unique.length === 0) return [];
    const constraints = unique.map((names) => element(
        "uniquenessConstraint", {}, [names].flat().map((value) => element("constraint", {value})),
    ));
    return [element("uniquenessConstraints", {}, constraints)];
}

function userInfo(entries) {
    if (Object.keys(entries).length === 0) return [];
    const text = (value) => typeof value === "string" ? value : JSON.stringify(value);
    return [element("userInfo", {}, mapped(entries, (key, value) => element("entry", {key, value: text(value)})))];
}
