// SPDX-License-Identifier: Apache-2.0

// A model whose names collide with Swift wherever possible.

import ObjectModel

enum Hostile {
    static let model = Model {
        Composite("Value") {
            Attribute("value", .decimal)
            Attribute("members", .string).optional()
            Attribute("self", .string).optional()
            Attribute("in", .int16)
            Attribute("inner", .composite("Inner")).optional()
            Attribute("when", .date)
        }
        Composite("Inner") {
            Attribute("data", .binary).optional()
            Attribute("anything", .transformable(transformer: nil)).optional()
        }
        Composite("Hollow") {}
        Entity("Date", isAbstract: true) {
            Attribute("context", .string)
            Attribute("default", .date).optional()
            Attribute("value", .composite("Value"))
            Attribute("price", .composite("Value")).optional()
        }
        Entity("Type", parent: "Date") {
            Attribute("context_", .string)
            Attribute("hashValue", .int64)
            Attribute("init", .bool)
            Attribute("String", .string)
            Attribute("object", .string).optional()
            Attribute("objects", .string).optional()
            Attribute("status", .string).optional()
            Attribute("row", .int32)
            Attribute("willSave", .bool)
            Attribute("CodingKeys", .string).optional()
            Attribute("add", .float)
            Attribute("remove", .double).optional()
            Attribute("apply", .uuid).optional()
            Attribute("setValue", .uri).optional()
            Attribute("größe", .decimal)
            Attribute("x²", .int16)
            Attribute("identity", .objectID).optional()
            Attribute("scratch", .undefined).optional().transient()
            Attribute("loud", .string).optional().derived("uppercase:(context)")
            Relationship("where", toOne: "Object", inverse: "func").optional()
            Relationship("Object", toMany: "Object", inverse: "types")
            FetchedProperty("reference", of: "Type")
        }
        Entity("Object") {
            Relationship("func", toOne: "Type", inverse: "where").optional()
            Relationship("types", toMany: "Type", inverse: "Object").ordered()
        }
        Entity("DateDTO") { Attribute("a", .string).optional() }
        Entity("object", parent: "Birth") { Attribute("b", .string).optional() }
        Entity("Birth") {}
        Entity("AnEntityWithANameThatIsAboutAsLongAsNamesOfEntitiesEverGet") {
            Attribute("anAttributeWithANameThatIsAboutAsLongAsNamesOfAttributesEverGet", .string).optional()
            Attribute("another", .string).optional().derived("uppercase:(another)")
            Relationship(
                "toOneWithANameThatIsAboutAsLongAsNamesOfRelationshipsEverGet",
                toOne: "AnEntityWithANameThatIsAboutAsLongAsNamesOfEntitiesEverGet"
            ).optional()
            Relationship(
                "toManyWithANameThatIsAboutAsLongAsNamesOfRelationshipsEverGet",
                toMany: "AnEntityWithANameThatIsAboutAsLongAsNamesOfEntitiesEverGet"
            )
        }
    }
}
