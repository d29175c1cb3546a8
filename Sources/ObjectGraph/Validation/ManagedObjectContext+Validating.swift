// SPDX-License-Identifier: Apache-2.0

// Validates all that is to be saved, and collects all failures.

import ObjectModel
import Predicates

extension ManagedObjectContext {
    /// Throws one error with all failures of the context's changes, except conflicts with others: objects that others
    /// have deleted are validated when they are inserted again.
    public func validate() throws(GraphError) {
        confinement.check()
        guard validation == nil else { throw .reentrant("validate()", within: "a validator") }
        let run = ValidationRun()
        validation = run
        defer { validation = nil }
        var meter = WorkMeter()
        var failures: [ValidationFailure] = []
        var count = 0
        func add(_ object: ManagedObject, _ more: [ValidationFailure]) throws(GraphError) {
            try meter.step()
            count += more.count
            failures += object.completed(Array(more.prefix(Self.failureLimit - failures.count)))
        }
        for object in deleted.members {
            let found =
                object.canDenyDeletion
                ? try run.failures(of: object, hook: object.validateForDelete, check: object.deletionFailures) : []
            try add(object, found)
        }
        func check(_ object: ManagedObject, _ hook: () throws -> Void) throws(GraphError) {
            let found =
                object.hasHooks
                ? try run.failures(of: object, hook: hook) { () throws(GraphError) in
                    try object.modelFailures(run.patterns)
                } : try object.modelFailures(run.patterns)
            try add(object, found)
        }
        for object in inserted.members { try check(object, object.validateForInsert) }
        for object in updated.members where !isKept(object.objectID) { try check(object, object.validateForUpdate) }
        guard failures.isEmpty else { throw .validation(failures, omitting: count - failures.count) }
    }

    /// The largest number of failures kept, since many objects may have the same one.
    private static let failureLimit = 1_000
}
