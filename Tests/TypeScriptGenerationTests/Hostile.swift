// SPDX-License-Identifier: Apache-2.0

// A model whose names collide with TypeScript wherever possible.

import ObjectModel

enum Hostile {
    static let model: Model = {
        var model = Model {
            Composite("Record") {
                Attribute("value", .decimal)
                Attribute("in", .int16).optional()
                Attribute("inner", .composite("Inner")).optional()
                Attribute("__proto__", .string).optional()
            }
            Composite("Inner") {
                Attribute("data", .binary).optional()
                Attribute("anything", .transformable(transformer: nil)).optional()
            }
            Composite("Hollow") {}
            Entity("Object", isAbstract: true) {
                Attribute("constructor", .string)
                Attribute("price", .composite("Record")).optional()
            }
            Entity("Error", parent: "Object") {
                Attribute("class", .bool).default(false)
                Attribute("größe", .decimal)
                Attribute("x²", .int16)
                Attribute("_id", .int64).optional()
                Attribute("and", .string).optional()
                Attribute("or", .transformable(transformer: nil)).optional()
                Attribute("identity", .objectID).optional()
                Attribute("scratch", .undefined).optional().transient()
                Attribute("loud", .string).optional().derived("uppercase:(constructor)")
                Attribute("regex", .string).optional().matching("a*/b\n[\"`]")
                Relationship("not", toOne: "Promise", inverse: "function").optional()
                Relationship("toString", toMany: "Object")
            }
            Entity("Warning", parent: "Error") { Attribute("level", .int32) }
            Entity("Promise") {
                Relationship("function", toOne: "Error", inverse: "not").optional()
                FetchedProperty("await", of: "Error")
            }
            Entity("EntityMap") { Attribute("a", .string).optional() }
            Entity("string") { Attribute("b", .string).optional() }
            Entity("ErrorCreate") {}
            Entity("drafts") {}
            Entity("constructor") { Attribute("valueOf", .date) }
            Entity("then") {}
            Entity("ResultPage") {}
            Entity("__proto__") { Attribute("c", .string).optional() }
        }
        for (name, path) in [
            ("__proto__", "__proto__Entity"), ("Promise", "__proto__"),
            ("EntityMap", "a`${b}\"'\\c"),
        ] {
            let index = model.entities.firstIndex { $0.name == name }!
            model.entities[index].userInfo = ["path": path]
        }
        return model
    }()
}
