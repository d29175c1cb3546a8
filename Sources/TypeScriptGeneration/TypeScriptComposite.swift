// SPDX-License-Identifier: Apache-2.0

// The types of a composite: values as they are read, written, changed and compared.

import ObjectModel

struct TypeScriptComposite {
    let section: String

    init(_ composite: Composite, _ names: TypeScriptNames) {
        let elements = composite.attributes.sorted { $0.name < $1.name }
        let writable = elements.filter(\.isWritable)
        func interface(_ comment: String, _ form: TypeScriptNames.Form, _ members: [String]) -> String {
            let head = "export interface \(names[composite: composite.name, form])"
            let lines = members.isEmpty ? ["\(head) {}"] : ["\(head) {"] + members.map { "  \($0);" } + ["}"]
            return (["/** \(comment.asComment) */"] + lines).joined(separator: "\n")
        }
        let parts = [
            interface(
                "A value of the composite \(composite.name).",
                .object,
                elements.map { "\($0.name.inAPI.asKey): \(names.read($0))" }
            ),
            interface(
                "A new value of \(composite.name).",
                .create,
                writable.map { "\($0.name.inAPI.asKey)\($0.isNeeded ? "" : "?"): \(names.written($0))" }
            ),
            interface(
                "Changes of a value of \(composite.name).",
                .update,
                writable.map { "\($0.name.inAPI.asKey)?: \(names.changed($0))" }
            ),
            interface(
                "Conditions on values of \(composite.name).",
                .filter,
                elements.map { "\($0.name.inAPI.asKey)?: \(names.filter($0))" }
            ),
        ]
        section = "// ----- \(composite.name.asComment) -----\n\n" + parts.joined(separator: "\n\n")
    }
}
