// SPDX-License-Identifier: Apache-2.0

// The TypeScript names of a model's parts.
//
// 1. A name that is taken gets underscores until it is unique. Entities are named first, then composites and the rest,
//    in the order of their names, so that a model always yields the same names.
// 2. Properties keep their names, since members may have any name.

import ObjectModel

struct TypeScriptNames {
    /// The kinds of types that an entity or a composite has, by the suffixes of their names.
    enum Form: String, CaseIterable {
        case object = ""
        case reference = "Reference"
        case fields = "Fields"
        case itself = "Itself"
        case create = "Create"
        case update = "Update"
        case filter = "Filter"
    }

    private(set) var renamings: [TypeScriptRenaming] = []
    /// The class of the client.
    private(set) var client = ""
    /// The class of a draft.
    private(set) var draft = ""
    /// By form, and by entity or composite.
    private var types: [Form: [String: String]] = [:]
    private var composites: [Form: [String: String]] = [:]
    /// The properties of the client, by entity.
    private var members: [String: String] = [:]
    private var taken = Self.reserved.union(Runtime.declaredNames)

    init(_ model: Model, name: String) {
        let entities = model.entities.sorted { $0.name < $1.name }
        let composites = model.composites.map(\.name).sorted()
        for entity in entities {
            let type = take(entity.name)
            types[.object, default: [:]][entity.name] = type
            if type != entity.name { report(entity.name, type) }
        }
        for composite in composites {
            let type = take(composite)
            self.composites[.object, default: [:]][composite] = type
            if type != composite { report(composite, type) }
        }
        for form in Form.allCases where form != .object {
            for entity in entities { types[form, default: [:]][entity.name] = take(self[entity.name] + form.rawValue) }
            for composite in composites {
                self.composites[form, default: [:]][composite] = take(self[composite: composite] + form.rawValue)
            }
        }
        let prefix = name.prefix(1).uppercased() + name.dropFirst()
        client = take(prefix.asTypeName + "Client")
        draft = take(prefix.asTypeName + "Draft")
        var takenMembers = Self.reservedMembers
        for entity in entities {
            var member = entity.apiPath
            while !takenMembers.insert(member).inserted { member += "_" }
            members[entity.name] = member
            if member != entity.apiPath {
                renamings.append(TypeScriptRenaming(owner: entity.name, name: member, isMember: true))
            }
        }
    }

    /// The type of an entity in a form.
    subscript(entity: String, form: Form = .object) -> String { types[form]?[entity] ?? "never" }

    /// The type of a composite in a form.
    subscript(composite composite: String, form: Form = .object) -> String { composites[form]?[composite] ?? "never" }

    /// The client's property for an entity.
    func member(of entity: String) -> String { members[entity] ?? entity }

    private mutating func take(_ wanted: String) -> String {
        var name = wanted.asTypeName
        while !taken.insert(name).inserted { name += "_" }
        return name
    }

    private mutating func report(_ owner: String, _ name: String) {
        renamings.append(TypeScriptRenaming(owner: owner, name: name, isMember: false))
    }
}

extension TypeScriptNames {
    /// Names that declarations can't have, or that the code uses for types and values of the platform.
    static let reserved: Set<String> = [
        // Words of the language.
        "any", "arguments", "as", "async", "await", "bigint", "boolean", "break", "case", "catch", "class", "const",
        "continue", "debugger", "declare", "default", "delete", "do", "else", "enum", "eval", "export", "extends",
        "false", "finally", "for", "function", "if", "implements", "import", "in", "infer", "instanceof", "interface",
        "keyof", "let", "module", "namespace", "never", "new", "null", "number", "object", "of", "package", "private",
        "protected", "public", "readonly", "return", "static", "string", "super", "switch", "symbol", "this", "throw",
        "true", "try", "type", "typeof", "undefined", "unique", "unknown", "var", "void", "while", "with", "yield",
        // What the platform has.
        "AbortController", "AbortSignal", "Array", "ArrayLike", "AsyncGenerator", "AsyncIterable", "AsyncIterator",
        "Blob", "BodyInit", "Date", "Error", "Exclude", "Extract", "Function", "Generator", "Headers", "HeadersInit",
        "Infinity", "Iterable", "IterableIterator", "Iterator", "JSON", "Map", "Math", "NaN", "NonNullable", "Number",
        "Object", "Omit", "Parameters", "Partial", "Pick", "Promise", "PromiseLike", "Readonly", "ReadonlyArray",
        "ReadableStream", "Record", "RegExp", "Request", "RequestInfo", "RequestInit", "Required", "Response",
        "ReturnType", "Set", "String", "Symbol", "TemplateStringsArray", "TextDecoder", "TextEncoder", "TypeError",
        "URL", "URLSearchParams", "Uint8Array", "WeakMap", "btoa", "clearTimeout", "crypto", "encodeURIComponent",
        "fetch", "globalThis", "setTimeout",
        // What the file declares for each model.
        "AccountObject", "AccountProperties", "EntityMap", "QueryMap", "modelShape", "modelVersion", "queryEntities",
    ]

    /// The members of clients and drafts, and those of every object.
    static let reservedMembers: Set<String> = [
        "__proto__", "accounts", "changes", "child", "connection", "constructor", "discard", "drafts", "hasOwnProperty",
        "history", "id", "isPrototypeOf", "merges", "opening", "propertyIsEnumerable", "prototype", "query", "redo",
        "refresh", "reset", "rollback", "route", "save", "status", "step", "then", "toLocaleString", "toString",
        "transaction", "undo", "validate", "valueOf",
    ]
}

extension Entity {
    /// The path in the API: the alias in the user info, or else the name.
    var apiPath: String { userInfo["path"] ?? name }
}
