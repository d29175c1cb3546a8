// SPDX-License-Identifier: Apache-2.0

// Plans that write, tried until nobody was faster.

import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Predicates

extension API {
    /// Does what a plan says. What was read is read anew when others have changed it meanwhile: a change that names no version
    /// goes out from the newest row, so that it is never a conflict.
    func write(_ plan: WritePlan, _ keeping: AnswerKeeping? = nil) throws -> Reply {
        var substitutes: [Int: WriteAttempt.Substitute] = [:]
        var policy: MergePolicy.Kind?
        for attempt in 0..<Self.attemptLimit {
            try WorkLimits.check()
            let outcome = try coordinator.withContext { [substitutes, policy] context in
                if attempt > 0 { context.stalenessInterval = .zero }
                return try WriteAttempt(plan, substitutes, constraints: policy, context, self, keeping).run()
            }
            switch outcome {
            case .done(let reply): return reply
            case .overtaken: continue
            case .taken(let others): substitutes = others
            case .undecided: policy = plan.preferences.merge?.policy ?? .error
            }
        }
        throw Problem.deadline
    }

    /// Each time that an attempt is in vain, another was successful; who is never the one is to come again.
    private static let attemptLimit = 1_000

    // MARK: JSON in problems

    func json(of object: ObjectDTO) -> JSONValue {
        var buffer = JSONBuffer()
        buffer.write(object, in: catalogue)
        return (try? JSONValue(parsing: buffer.bytes)) ?? .null
    }

    /// A property as it is stored; nil for those that rows don't tell.
    ///
    /// - Parameter isPresent: Whether it is what the object's path gives, so that bytes may be had there.
    func json(of property: ResourceProperty, in row: Snapshot, isPresent: Bool = true) -> JSONValue? {
        var buffer = JSONBuffer()
        switch row.objectID.entity.property(named: property.property.name) {
        case .attribute(let attribute):
            let value = row.row.attributes[attribute.slot]
            if attribute.type == .binary {
                buffer.write(bytes: value, at: isPresent ? catalogue.href(of: attribute, of: row.objectID) : nil)
            } else {
                buffer.write(value, of: attribute)
            }
        case .relationship(let relationship) where !relationship.isToMany:
            buffer.write(row.row.toOnes[relationship.slot], in: catalogue)
        case .relationship, .fetched, nil: return nil
        }
        return try? JSONValue(parsing: buffer.bytes)
    }

    /// What a request wants a property to be; nil where that has no short form.
    func json(of write: PropertyWrite) -> JSONValue? {
        switch write.change {
        case .value(let value):
            guard let attribute = write.property.attribute, attribute.type != .binary else { return nil }
            var buffer = JSONBuffer()
            buffer.write(value, of: attribute)
            return try? JSONValue(parsing: buffer.bytes)
        case .increment(let amount):
            var buffer = JSONBuffer()
            buffer.write(amount)
            return (try? JSONValue(parsing: buffer.bytes)).map { ["$inc": $0] }
        case .toOne(let reference): return reference.map(\.json) ?? .null
        case .members(let references): return .array(references.map(\.json))
        case .merge, .edit, .keep: return nil
        }
    }
}

extension Reference {
    fileprivate var json: JSONValue {
        switch target {
        case .write: .object(JSONObject())
        case .temporary(let name): .string(name)
        case .stored(let location): .string(location.name)
        }
    }
}
