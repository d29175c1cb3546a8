// SPDX-License-Identifier: Apache-2.0

// The list of all classes, for coordinators.

import ObjectModel

struct SwiftModel {
    let file: GeneratedFile

    init(_ model: Model, _ names: SwiftNames, _ access: AccessLevel) {
        let classes = model.entities.map { names.className(of: $0.name) }.sorted()
        var lines = ["\(access.modifier)enum \(names.model) {"]
        lines += ["    /// The classes of all entities, to be handed to a coordinator."]
        if classes.isEmpty {
            lines.append("    \(access.modifier)static var classes: [ManagedObject.Type] { [] }")
        } else {
            lines += ["    \(access.modifier)static var classes: [ManagedObject.Type] {", "        ["]
            lines += classes.map { "            \($0).self," }
            lines += ["        ]", "    }"]
        }
        file = GeneratedFile(names.model, imports: ["Outcrop"], access, [lines + ["}"]])
    }
}
