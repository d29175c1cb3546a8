// SPDX-License-Identifier: Apache-2.0

// Reads the rules of Xcode's mapping models.

import FoundationEssentials
import Predicates
import PropertyList
import XML

extension MappingRules {
    /// Reads the `xcmapping.xml` of an `.xcmappingmodel`: sources of entities, and expressions for properties. Throws what it
    /// has besides, such as the classes of custom policies.
    public init(mappingModel bytes: [UInt8], file: String? = nil) throws(ModelError) {
        let root: XMLElement
        do {
            root = try XMLDocument(parsing: bytes).root
        } catch {
            throw ModelError(.syntax, at: ModelIssue.Place(file: file), "This isn't XML: \(error)")
        }
        let objects = root.elements(named: "object").compactMap(MappingObject.init)
        let byID = Dictionary(objects.map { ($0.id, $0) }) { first, _ in first }
        let mappings = objects.filter { $0.type == "XDDEVENTITYMAPPING" }
        guard !mappings.isEmpty else {
            throw ModelError(
                .mapping,
                at: ModelIssue.Place(file: file),
                "This isn't a mapping model: it maps no entities."
            )
        }
        for mapping in mappings {
            guard let name = mapping.values["destinationname"] else { continue }
            let place = ModelIssue.Place(file: file, entity: name)
            if let policy = mapping.values["migrationpolicyclassname"], !policy.isEmpty {
                throw .policy(policy, place)
            }
            for key in ["sourcefilterpredicatestring", "sourceexpressiondata"]
            where mapping.values[key]?.isEmpty == false {
                throw ModelError(
                    .mapping,
                    at: place,
                    "The mapping chooses its objects by an expression (\(key)).",
                    hint: "Say in a mapping file which objects remain, with “where”."
                )
            }
            guard entities[name] == nil else {
                throw ModelError(
                    .mapping,
                    at: place,
                    "Several entities are mapped to “\(name)”, and their objects may have the same numbers.",
                    hint: "Map one, and import the objects of the others."
                )
            }
            guard let source = mapping.values["sourcename"], !source.isEmpty else { continue }
            var rules = EntityRules()
            rules.source = source
            for property in (mapping.references["attributemappings"] ?? []).compactMap({ byID[$0] })
                + (mapping.references["relationshipmappings"] ?? []).compactMap({ byID[$0] })
            {
                guard let key = property.values["name"] else { continue }
                var place = place
                place.property = key
                if let path = property.values["sourcekeypath"], !path.isEmpty {
                    rules.values[key] = .keyPath(String(path.trimmingPrefix("$source.")))
                }
                guard let archive = property.values["valueexpressiondata"] else { continue }
                rules.values[key] = try Self.expression(archived: archive, at: place)
            }
            entities[name] = rules
        }
    }

    private static func expression(
        archived text: String,
        at place: ModelIssue.Place
    ) throws(ModelError) -> ObjectExpression {
        guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters),
            let archive = try? KeyedArchive(parsing: Array(data))
        else { throw .unreadable("its archive is damaged.", place) }
        var value = archive.root
        if let call = value.object, let name = call.text("NSSelectorName"), name.hasPrefix("destinationInstancesFor"),
            let arguments = call["NSArguments"]?.members.map(Array.init), arguments.count == 2
        {
            // Xcode's way to say that the objects that a relationship refers to remain its objects.
            value = arguments[1]
            if name.hasPrefix("destinationInstancesForSourceRelationshipNamed:"),
                let relationship = arguments[0].object?["NSConstantValue"]?.string
            {
                return .keyPath(relationship)
            }
        }
        if let variable = value.object?["NSOperand"]?.object?.variable, variable == "entityPolicy" {
            throw .policy("the entity mapping's policy", place)
        }
        var unarchiver = PredicateUnarchiver(terms: .max)
        do throws(UnreadablePredicate) {
            return try unarchiver.expression(value).ofSource(at: place)
        } catch {
            throw .unreadable(error.message, place)
        }
    }
}

/// An object of a mapping model, which is an XML store.
private struct MappingObject {
    let id: String
    let type: String
    var values: [String: String] = [:]
    var references: [String: [String]] = [:]

    init?(_ element: XMLElement) {
        guard let id = element["id"], let type = element["type"] else { return nil }
        self.id = id
        self.type = type
        for attribute in element.elements(named: "attribute") {
            if let name = attribute["name"] { values[name] = attribute.text }
        }
        for relationship in element.elements(named: "relationship") {
            guard let name = relationship["name"] else { continue }
            references[name] = (relationship["idrefs"] ?? "").split(separator: " ").map(String.init)
        }
    }
}

extension ArchivedObject {
    /// The name of a variable that is an operand.
    fileprivate var variable: String? {
        guard className == "NSVariableExpression" else { return nil }
        return self["NSVariable"]?.string ?? self["NSVariable"]?.object?.text("NSVariable")
    }
}

extension ObjectExpression {
    /// The expression over the old object, which mapping models call `$source`.
    fileprivate func ofSource(at place: ModelIssue.Place) throws(UnreadablePredicate) -> ObjectExpression {
        if case .variable(let name) = self {
            guard name == "source" else { throw .unknown("variable", "$\(name)") }
            return .evaluatedObject
        }
        return try mappingParts { part throws(UnreadablePredicate) in
            try part.ofSource(at: place)
        } _: { predicate throws(UnreadablePredicate) in
            try predicate.ofSource(at: place)
        }
    }
}

extension ObjectPredicate {
    fileprivate func ofSource(at place: ModelIssue.Place) throws(UnreadablePredicate) -> ObjectPredicate {
        try mappingParts { part throws(UnreadablePredicate) in
            try part.ofSource(at: place)
        } _: { predicate throws(UnreadablePredicate) in
            try predicate.ofSource(at: place)
        }
    }
}

extension ModelError {
    fileprivate static func policy(_ name: String, _ place: ModelIssue.Place) -> ModelError {
        ModelError(
            .mapping,
            at: place,
            "The mapping calls custom code: \(name).",
            hint: "Say in a mapping file what it computes: an expression over the old object."
        )
    }

    fileprivate static func unreadable(_ reason: String, _ place: ModelIssue.Place) -> ModelError {
        ModelError(.mapping, at: place, "The mapping's expression can't be used: \(reason)")
    }
}
