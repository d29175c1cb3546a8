// SPDX-License-Identifier: Apache-2.0

// Reads the assignments of a batch update: values, expressions over each row, references.

import JSON
import ObjectGraph
import ObjectModel
import Predicates
import SourceText

/// Reads the members of `set`.
struct AssignmentReader {
    let resource: Resource
    let api: API
    private var findings = Findings()
    private var references: ReferenceReader

    init(resource: Resource, api: API) {
        self.resource = resource
        self.api = api
        references = ReferenceReader(api)
    }

    mutating func read(_ set: JSONObject) throws(Problem) -> [String: ObjectExpression] {
        var values: [String: ObjectExpression] = [:]
        for member in set.members {
            let place = BodyPosition(object: "set", pointer: "/set").member(member.name, member.value)
            guard let property = resource.property(named: member.name) else {
                findings.add(
                    .unknown,
                    "\(resource.name) has no property “\(member.name.shortened)”.",
                    hint: resource.hint(for: member.name),
                    at: place
                )
                continue
            }
            values[property.property.name] = try expression(member.value, of: property, at: place)
        }
        try findings.check()
        return values
    }

    private mutating func expression(
        _ json: JSONValue,
        of property: ResourceProperty,
        at place: BodyPosition
    ) throws(Problem) -> ObjectExpression? {
        switch property.property {
        case .attribute(let attribute) where attribute.isDerived:
            findings.add(.readOnly, "\(property.name) is derived, and can't be set.", at: place)
        case .attribute(let attribute):
            if let text = Self.expressionText(json, of: attribute) { return try parsed(text, for: property) }
            return attribute.value(from: json, at: place, into: &findings).map { .constant(property.stored($0)) }
        case .relationship(let relationship) where !relationship.isToMany:
            if json.isNull { return .constant(.null) }
            switch references.read(json, to: api.catalogue.destination(of: relationship)) {
            case .success(let objectID): return .constant(objectID.value)
            case .failure(let mismatch): findings.add(.reference, mismatch.message, hint: mismatch.hint, at: place)
            }
        case .relationship:
            findings.add(
                .readOnly,
                "\(property.name) is a to-many relationship; a batch can only set attributes and to-one relationships.",
                at: place
            )
        case .fetched: findings.add(.readOnly, "\(property.name) is a fetched property, and can't be set.", at: place)
        }
        return nil
    }

    /// The text in `{"expression": "…"}`, unless that could be a value of the attribute.
    private static func expressionText(_ json: JSONValue, of attribute: AttributeDescription) -> String? {
        if case .transformable = attribute.type { return nil }
        guard json.object?.count == 1, !attribute.elements.contains(where: { $0.name == "expression" }) else {
            return nil
        }
        return json["expression"]?.string
    }

    /// An expression over the row, checked against the model as an operand of a comparison.
    private func parsed(_ text: String, for property: ResourceProperty) throws(Problem) -> ObjectExpression {
        do throws(FormatError) {
            _ = try ObjectExpression(template: text, limits: api.options.predicateLimits)
        } catch {
            var problem = Problem(.predicate, "The expression for \(property.name): \(error.message)", hint: error.hint)
            problem.position = error.offset.map {
                String(decoding: text.utf8.prefix($0), as: UTF8.self).unicodeScalars.count
            }
            throw problem
        }
        var arguments = PredicateArguments()
        do throws(Problem) {
            let reader = PredicateReader(api: api, resource: resource, text: "(\(text)) == nil")
            guard case .comparison(let comparison) = try reader.predicate(&arguments) else {
                throw Problem(.predicate, "The expression for \(property.name) is a predicate, not an expression.")
            }
            return comparison.left
        } catch {
            var problem = error
            // The bracket before it was added here.
            problem.position = error.position.map { max(0, $0 - 1) }
            throw problem
        }
    }
}
