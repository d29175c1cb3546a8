// SPDX-License-Identifier: Apache-2.0

// Turns errors of a save into problems with the client's names for objects and properties.

import HTTPMessage
import JSON
import ObjectGraph
import Predicates
import SourceText

extension AppliedWrite {
    /// Throws all findings in the body, and validation errors of the resulting objects.
    func checkFindings() throws {
        guard !findings.isEmpty else { return }
        var problem = findings.problem
        do throws(GraphError) {
            try context.processPendingChanges()
            try context.validate()
        } catch {
            guard let others = self.problem(of: error) as? Problem else { throw problem }
            problem.add(others)
        }
        throw try completed(problem)
    }

    /// In a dry run, a problem with invalid values and with unique values that are taken: all that is wrong at once.
    private func completed(_ problem: Problem) throws(GraphError) -> Problem {
        guard plan.isDryRun, !plan.isUpsert, problem.code == .validation else { return problem }
        let violations = try context.constraintViolations()
        guard !violations.isEmpty else { return problem }
        var problem = problem
        problem.add(taken(violations))
        return problem
    }

    /// Throws errors that a save would have, as far as reading can determine. A precondition only matters if the
    /// request would otherwise succeed, and isn't worth waiting for a store's writer.
    func check() throws {
        do throws(GraphError) {
            try context.checkSave()
        } catch {
            _ = try outcome(of: error)
        }
    }

    /// The outcome of a failed save or rehearsal.
    func outcome(of error: GraphError) throws -> WriteOutcome {
        // The answer to be stored couldn't be made.
        if let problem = error.underlying as? Problem { throw problem }
        switch error.code {
        case .conflict: return .overtaken
        case .constraint: return try outcome(of: error.constraintConflicts)
        default:
            let error = problem(of: error)
            throw try (error as? Problem).map(completed) ?? error
        }
    }

    /// The outcome of violated unique constraints.
    private func outcome(of violations: [ConstraintViolation]) throws -> WriteOutcome {
        guard let merge = plan.preferences.merge, merge != .error else { throw taken(violations) }
        // What an identity can't read, it can't change.
        if !unreadable(violations.compactMap(\.stored?.objectID)).isEmpty { throw taken(violations) }
        let writes = objects.writes.filter { plan.writes[$0.value].isInsertion && self.substitutes[$0.value] == nil }
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
        if substitutes != self.substitutes { return .taken(substitutes) }
        guard api.access != nil else { return .undecided }
        // The save would resolve it after the rules were checked.
        let holders = violations.compactMap(\.stored?.objectID)
        guard merge == .overwrite || merge == .object, holders.count == violations.count,
            !holders.contains(where: displaced.contains)
        else { throw taken(violations) }
        return .displaced(holders)
    }

    /// The problem with unique values that other objects have.
    private func taken(_ violations: [ConstraintViolation]) -> Problem {
        var details: [Problem.Detail] = []
        var count = 0
        let writes = objects.writes
        let hidden = unreadable(violations.flatMap { [$0.stored?.objectID].compactMap(\.self) + $0.objects })
        for violation in violations {
            let entity = violation.objects.first?.entity ?? violation.stored?.objectID.entity
            let properties = api.catalogue.names(of: violation.constraint, of: entity)
            count += violation.objects.count
            for (offset, objectID) in violation.objects.enumerated() where details.count < Problem.errorLimit {
                let other = violation.stored?.objectID ?? violation.objects.dropFirst(offset == 0 ? 1 : 0).first
                let holder = other.flatMap { hidden.contains($0) ? nil : name(of: $0, by: writes) }
                let named = hidden.contains(objectID) ? nil : name(of: objectID, by: writes)
                details.append(Problem.Detail(of: named, sharing: properties, with: holder))
            }
        }
        var problem = Problem(
            .unique,
            details.count == 1 ? details[0].message : "Some values aren't unique.",
            hint: hidden.isEmpty ? hint(for: violations) : nil
        )
        problem.errors = details
        problem.omittedErrors = count - details.count
        return problem
    }

    /// The stored objects among some that the identity can't read.
    private func unreadable(_ objectIDs: [ManagedObjectID]) -> Set<ManagedObjectID> {
        guard api.access != nil else { return [] }
        let stored = objectIDs.filter { !$0.isTemporary }
        guard let rows = try? api.narrowed(context.committedReader).snapshots(of: stored) else { return Set(stored) }
        return Set(zip(stored, rows).filter { $0.1 == nil }.map(\.0))
    }

    /// The suggestions for taken values. Only a new object can become a change of the object that has them; an existing
    /// object can only replace it.
    private func hint(for violations: [ConstraintViolation]) -> String {
        for violation in violations {
            guard let object = violation.objects.first(where: { !$0.isTemporary }) else { continue }
            let holder = violation.stored?.objectID ?? violation.objects.first { $0 != object } ?? object
            guard !holder.isTemporary else { continue }
            let name = api.catalogue.reference(to: holder)
            return "Choose another value, or change \(name) first. “Prefer: merge=overwrite” would delete \(name)."
        }
        let hint = "“Prefer: merge=overwrite” updates the existing object instead."
        return [hint, referenceHint(for: violations)].compactMap(\.self).joined(separator: " ")
    }

    /// A suggestion to refer to an existing object instead of nesting a new one with its values.
    private func referenceHint(for violations: [ConstraintViolation]) -> String? {
        let writes = objects.writes
        let nested = violations.first { violation in
            violation.stored != nil
                && violation.objects.contains { writes[$0].map { plan.writes[$0].parent != nil } == true }
        }
        guard let nested, let names = api.catalogue.names(of: nested.constraint, of: nested.objects.first?.entity)
        else {
            return nil
        }
        return "In place of the nested object, {\"_id\": \(UniqueValues.form(names))} refers to the existing one."
    }

    /// The error of a save or rehearsal; validation errors become a problem.
    private func problem(of error: GraphError) -> any Error {
        guard error.code == .validation, !error.failures.isEmpty else { return error }
        let isDenied = error.failures.allSatisfy { $0.code == .relationshipDeniedDelete }
        var problem = Problem(isDenied ? .deleteDenied : .validation, error.message)
        var room = 20
        let writes = objects.writes
        problem.errors = error.failures.prefix(Problem.errorLimit).map { detail(of: $0, by: writes, room: &room) }
        problem.omittedErrors = error.failureCount - problem.errors.count
        if error.failureCount > 1 {
            problem.detail =
                isDenied ? "Other objects prevent the deletion." : "\(error.failureCount) values are invalid."
        } else if api.access != nil {
            problem.detail = problem.errors[0].message
        }
        return problem
    }

    /// - Parameter room: The remaining number of denying objects that may be named.
    private func detail(
        of failure: ValidationFailure,
        by writes: [ManagedObjectID: Int],
        room: inout Int
    ) -> Problem.Detail {
        let isDenied = failure.code == .relationshipDeniedDelete
        let write = isDenied ? deletion(of: failure.objectID) : failure.objectID.flatMap { writes[$0] }
        if let objectID = failure.objectID, !isDenied, !unreadable([objectID]).isEmpty {
            return Problem.Detail(code: "invalid", message: "Another object would be invalid.")
        }
        let property = api.catalogue.property(of: failure)
        var extras = JSONObject()
        if isDenied {
            let hidden = unreadable(failure.blockingObjects)
            let shown = failure.blockingObjects.filter { !hidden.contains($0) }
            let names = shown.prefix(room).map { JSONValue.string(api.catalogue.reference(to: $0)) }
            room -= names.count
            extras["objects"] = .array(names)
        } else if let value = failure.value, isShown(failure), let json = value.summary {
            extras["value"] = json
        }
        if let write {
            let change = isDenied ? nil : plan.writes[write].changes.first { $0.property.name == property }
            for member in (change?.place ?? plan.writes[write].place).extras.members {
                extras[member.name] = member.value
            }
        }
        return Problem.Detail(
            object: failure.objectID.map { name(of: $0, by: writes) } ?? failure.entityName,
            property: property,
            code: failure.code.name,
            message: api.catalogue.message(of: failure),
            extras: extras
        )
    }

    /// Whether clients know the property of a failure. Others have values that they may not see.
    private func isShown(_ failure: ValidationFailure) -> Bool {
        let entity = failure.objectID?.entity ?? failure.entityName.flatMap(api.catalogue.model.entity(named:))
        guard let entity, let path = failure.property else { return true }
        return api.catalogue[entity].name(ofPath: path) != nil
    }

    /// The write that deletes an object, directly, or by delete rules if there is only one deletion.
    private func deletion(of objectID: ManagedObjectID?) -> Int? {
        let deletions = plan.writes.indices.filter { plan.writes[$0].isDeletion }
        return deletions.first { objectID != nil && objects[$0]?.objectID == objectID }
            ?? (deletions.count == 1 ? deletions.first : nil)
    }

    /// The client's name for an object.
    private func name(of objectID: ManagedObjectID, by writes: [ManagedObjectID: Int]) -> String {
        if !objectID.isTemporary { return api.catalogue.reference(to: objectID) }
        return writes[objectID].map { plan.writes[$0].place.object } ?? api.catalogue[objectID.entity].name
    }
}

extension Problem {
    /// Adds the errors of another problem. Properties with errors still have their old values, so further errors of these
    /// are omitted.
    fileprivate mutating func add(_ other: Problem) {
        let known = Set(errors.flatMap(\.places))
        errors += other.errors.filter { known.isDisjoint(with: $0.ownPlaces) }
        omittedErrors += other.omittedErrors
        omitErrors()
        if errorCount > 1 { detail = "\(errorCount) values are invalid." }
    }
}

extension Problem.Detail {
    /// Values that must be unique.
    ///
    /// - Parameters:
    ///   - properties: Their names, or nil if the client doesn't know all of them.
    ///   - holder: The other object; nil if it may not be named.
    init(of object: String?, sharing properties: [String]?, with holder: String?) {
        let names = properties?.joined(separator: " and ") ?? "Some values"
        self.init(
            object: object,
            property: properties?.joined(separator: ","),
            code: "unique",
            message: "\(names) must be unique, but \(holder ?? "another object") has "
                + "\(properties?.count == 1 ? "the same value" : "the same values").",
            extras: [
                "constraint": .array(properties?.map(JSONValue.string) ?? []),
                "holder": holder.map(JSONValue.string) ?? .null,
            ]
        )
    }

    /// The place of a property, in an object and in the body.
    fileprivate var ownPlaces: [String] {
        guard let property = property?.split(separator: ".").first else { return [] }
        return ["\(object ?? "") \(property)", "\(extras["pointer"]?.string ?? "")/\(property)"]
    }

    /// The property with the error, and those that contain it.
    fileprivate var places: [String] {
        let pointer = extras["pointer"]?.string ?? ""
        let ends = pointer.indices.filter { pointer[$0] == "/" }.dropFirst() + [pointer.endIndex]
        return ownPlaces.prefix(1) + ends.map { String(pointer[..<$0]) }
    }
}

extension ValidationFailure.Code {
    /// The code in `errors`.
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
    /// The value for an error, or nil if it is long.
    fileprivate var summary: JSONValue? {
        var buffer = JSONBuffer()
        switch self {
        case .null, .data, .array, .dictionary: return nil
        default: buffer.write(self)
        }
        return buffer.bytes.count > 120 ? nil : try? JSONValue(parsing: buffer.bytes)
    }
}
