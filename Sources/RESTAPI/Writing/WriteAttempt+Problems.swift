// SPDX-License-Identifier: Apache-2.0

// What speaks against a save, said of the objects and properties that the client knows.

import HTTPMessage
import JSON
import ObjectGraph
import Predicates
import SourceText

extension WriteAttempt {
    /// What becomes of values that must be unique and aren't.
    func settle(_ violations: [ConstraintViolation]) throws -> Outcome {
        guard let merge = plan.preferences.merge, merge != .error else { throw taken(violations) }
        let writes = Dictionary(
            plan.writes.indices.filter { plan.writes[$0].isInsertion && self.substitutes[$0] == nil }.compactMap {
                index in
                objects[index].map { ($0.objectID, index) }
            }
        ) { first, _ in first }
        var substitutes = substitutes
        for violation in violations {
            let made = violation.objects.compactMap { writes[$0] }.filter { substitutes[$0] == nil }.sorted()
            let others = violation.objects.filter { writes[$0] == nil }
            if let holder = violation.stored?.objectID ?? others.first {
                for index in made { substitutes[index] = .stored(holder) }
            } else if let first = made.first {
                for index in made.dropFirst() { substitutes[index] = .write(first) }
            }
        }
        return substitutes == self.substitutes ? .undecided : .taken(substitutes)
    }

    /// Unique values that are taken, by whom.
    private func taken(_ violations: [ConstraintViolation]) -> Problem {
        var details: [Problem.Detail] = []
        var count = 0
        let names = writesByID
        for violation in violations {
            let properties = violation.constraint.map { ResourceProperty.name(of: $0.name) }
            count += violation.objects.count
            for (offset, objectID) in violation.objects.enumerated() where details.count < Problem.errorLimit {
                let other = violation.stored?.objectID ?? violation.objects.dropFirst(offset == 0 ? 1 : 0).first
                let holder = other.map { name(of: $0, names) }
                details.append(
                    Problem.Detail(
                        object: name(of: objectID, names),
                        property: properties.joined(separator: ","),
                        code: "unique",
                        message:
                            "\(properties.joined(separator: " and ")) must be unique, and \(holder ?? "another") has "
                            + "\(properties.count == 1 ? "the same value" : "the same values").",
                        extras: [
                            "constraint": .array(properties.map(JSONValue.string)),
                            "holder": holder.map(JSONValue.string) ?? .null,
                        ]
                    )
                )
            }
        }
        var problem = Problem(
            .unique,
            details.count == 1 ? details[0].message : "Values must be unique, and aren't.",
            hint: hint(violations, names)
        )
        problem.errors = details
        problem.omittedErrors = count - details.count
        return problem
    }

    /// What can be done about taken values. Only a new object can become a change of the one that has them; one that is there
    /// already can only push it aside.
    private func hint(_ violations: [ConstraintViolation], _ names: [ManagedObjectID: Int]) -> String {
        for violation in violations {
            guard let object = violation.objects.first(where: { !$0.isTemporary }) else { continue }
            let holder = violation.stored?.objectID ?? violation.objects.first { $0 != object } ?? object
            guard !holder.isTemporary else { continue }
            let name = name(of: holder, names)
            return "Choose another value, or change \(name) first. “Prefer: merge=overwrite” would delete \(name)."
        }
        return "“Prefer: merge=overwrite” changes the one that is there instead."
    }

    /// What is wrong with the body, and with the objects as it would leave them. Properties whose values can't be taken are as they were,
    /// which is no fault of theirs.
    func allFindings() throws -> Problem {
        var problem = findings.problem
        do throws(GraphError) {
            try context.processPendingChanges()
            try context.validate()
        } catch {
            guard let others = self.problem(error) as? Problem else { return problem }
            let known = Set(problem.errors.flatMap(\.places))
            problem.errors += others.errors.filter { known.isDisjoint(with: $0.ownPlaces) }
            problem.omittedErrors += others.omittedErrors
            problem.omitErrors()
            if problem.errorCount > 1 { problem.detail = "\(problem.errorCount) values can't be taken." }
        }
        return problem
    }

    /// An error of a save or a rehearsal.
    func problem(_ error: GraphError) -> any Error {
        guard error.code == .validation, !error.failures.isEmpty else { return error }
        let isDenied = error.failures.allSatisfy { $0.code == .relationshipDeniedDelete }
        var problem = Problem(isDenied ? .deleteDenied : .validation, error.message)
        var room = 20
        let names = writesByID
        problem.errors = error.failures.prefix(Problem.errorLimit).map { detail($0, names, &room) }
        problem.omittedErrors = error.failureCount - problem.errors.count
        if error.failureCount > 1 {
            problem.detail = isDenied ? "Other objects are in the way." : "\(error.failureCount) values aren't valid."
        }
        return problem
    }

    /// - Parameter room: How many objects may still be named that are in the way.
    private func detail(
        _ failure: ValidationFailure,
        _ writes: [ManagedObjectID: Int],
        _ room: inout Int
    ) -> Problem.Detail {
        let isDenied = failure.code == .relationshipDeniedDelete
        let write = isDenied ? deletion(of: failure.objectID) : failure.objectID.flatMap { writes[$0] }
        let property = failure.property.map(Self.name)
        var extras = JSONObject()
        if isDenied {
            let names = blockers(failure).prefix(room).map { JSONValue.string(api.catalogue.reference(to: $0)) }
            room -= names.count
            extras["objects"] = .array(names)
        } else if let value = failure.value, let json = value.summary {
            extras["value"] = json
        }
        if let write {
            let change = isDenied ? nil : plan.writes[write].changes.first { $0.property.name == property }
            let place = change?.place ?? plan.writes[write].place
            if !place.pointer.isEmpty { extras["pointer"] = .string(place.pointer) }
            if let position = place.position {
                extras["line"] = .integer(position.line)
                extras["column"] = .integer(position.column)
            }
        }
        return Problem.Detail(
            object: failure.objectID.map { name(of: $0, writes) } ?? failure.entityName,
            property: property,
            code: failure.code.name,
            message: failure.message,
            extras: extras
        )
    }

    /// The write that deletes an object, or takes it along by the rules where only one can be it.
    private func deletion(of objectID: ManagedObjectID?) -> Int? {
        let deletions = plan.writes.indices.filter { plan.writes[$0].isDeletion }
        return deletions.first { objectID != nil && objects[$0]?.objectID == objectID }
            ?? (deletions.count == 1 ? deletions.first : nil)
    }

    /// The names of a composite's elements stand behind each other.
    private static func name(_ path: String) -> String {
        path.split(separator: ".", omittingEmptySubsequences: false).map { ResourceProperty.name(of: String($0)) }
            .joined(separator: ".")
    }

    /// The objects that keep another from being deleted.
    private func blockers(_ failure: ValidationFailure) -> [ManagedObjectID] {
        guard let objectID = failure.objectID, let object = context.registeredObject(for: objectID),
            let relationship = failure.property.flatMap({ object.entity.relationship(named: $0) })
        else { return [] }
        let members = (try? object.objectIDs(of: relationship)) ?? []
        return members.filter { context.registeredObject(for: $0)?.isDeleted != true }
    }

    /// The writes by their objects; of several the first.
    private var writesByID: [ManagedObjectID: Int] {
        let pairs = objects.enumerated().compactMap { index, object in object.map { ($0.objectID, index) } }
        return Dictionary(pairs) { first, _ in first }
    }

    /// What the client calls an object.
    private func name(of objectID: ManagedObjectID, _ writes: [ManagedObjectID: Int]) -> String {
        if !objectID.isTemporary { return api.catalogue.reference(to: objectID) }
        return writes[objectID].map { plan.writes[$0].place.object } ?? objectID.entity.name
    }
}

extension Problem.Detail {
    /// Where a property stands: in an object, and in the body.
    fileprivate var ownPlaces: [String] {
        guard let property = property?.split(separator: ".").first else { return [] }
        return ["\(object ?? "") \(property)", "\(extras["pointer"]?.string ?? "")/\(property)"]
    }

    /// The property that something is wrong with, and all in whose values it stands.
    fileprivate var places: [String] {
        let pointer = extras["pointer"]?.string ?? ""
        let ends = pointer.indices.filter { pointer[$0] == "/" }.dropFirst() + [pointer.endIndex]
        return ownPlaces.prefix(1) + ends.map { String(pointer[..<$0]) }
    }
}

extension ValidationFailure.Code {
    /// As `errors` have it.
    var name: String {
        switch self {
        case .general: "invalid"
        case .missingMandatoryProperty: "required"
        case .relationshipLacksMinimumCount: "too-few"
        case .relationshipExceedsMaximumCount: "too-many"
        case .relationshipDeniedDelete: "denied"
        case .numberTooLarge: "too-large"
        case .numberTooSmall: "too-small"
        case .dateTooLate: "too-late"
        case .dateTooSoon: "too-early"
        case .stringTooLong: "too-long"
        case .stringTooShort: "too-short"
        case .stringPatternMatching: "pattern"
        case .referentialIntegrity: "reference"
        }
    }
}

extension Value {
    /// The value in an error, where it isn't long.
    fileprivate var summary: JSONValue? {
        var buffer = JSONBuffer()
        switch self {
        case .null, .data, .array, .dictionary: return nil
        default: buffer.write(self)
        }
        return buffer.bytes.count > 120 ? nil : try? JSONValue(parsing: buffer.bytes)
    }
}
