// SPDX-License-Identifier: Apache-2.0

// Converts errors of the engine to problems.

import HTTPMessage
import JSON
import ObjectGraph
import Predicates

extension Problem {
    init(_ error: GraphError, in catalogue: Catalogue) {
        switch error.code {
        case .objectMissing:
            let missing = error.objectID.map { "There is no object \(catalogue.reference(to: $0))." }
            self.init(.notFound, missing ?? error.message, hint: error.hint)
        case .invalidRequest where error.underlying is EvaluationError:
            self.init(.predicate, error.message, hint: error.hint)
        case .tooExpensive:
            self.init(
                .predicate,
                "Too many objects would have to be evaluated in memory, because the store can't evaluate the predicate.",
                hint: "Add a condition that the store can evaluate; explain=true shows what is evaluated in memory."
            )
        case .unknownName, .invalidRequest: self.init(.parameter, error.message, hint: error.hint)
        case .wrongType, .notWritable, .acrossStores, .unknownStore:
            self.init(.validation, error.message, hint: error.hint)
        // A store's message names its file, which clients must not see.
        case .readOnly: self = .readOnly(error.underlying == nil ? error.message : "The store is read-only.")
        case .validation: self = .invalid(error, in: catalogue)
        case .conflict: self.init(.conflict, error.message, hint: error.hint)
        case .constraint: self = .taken(error, in: catalogue)
        case .contextFull:
            self.init(
                .tooLarge,
                error.message,
                hint: "Save the pending changes and try again, or write directly to the store, without the context."
            )
        case .tooMuchRead:
            self.init(
                .tooLarge,
                error.message,
                hint: "Request fewer objects with “limit”; NDJSON (Accept: application/x-ndjson) has no limit."
            )
            extras["limit"] = "requestMemory"
        case .limitExceeded: self.init(.maxAffected, error.message, hint: error.hint)
        case .deadline, .cancelled: self = .deadline
        case .locked: self = .locked
        case .busy: self = .busy
        case .historyTrimmed: self.init(.gone, error.message, hint: error.hint)
        case .historyUnkept:
            self.init(.notImplemented, error.message, hint: "The server's setting “history” determines it.")
        case .unknownConsumer: self.init(.notFound, error.message, hint: error.hint)
        case .noteTaken: self.init(.idempotency, "Another request used the Idempotency-Key at the same time.")
        case .noteUnkept:
            self.init(
                .notImplemented,
                "The answer can't be stored for the Idempotency-Key: \(error.message)",
                hint: error.hint ?? "Omit the key, and check whether the request was completed before repeating it."
            )
        case .diskFull: self.init(.diskFull, "The store's disk is full.")
        case .noKeys:
            self.init(
                .internal,
                "The store can't assign IDs to new objects of this entity: its record of used IDs is damaged.",
                hint: "`outcrop store check` on the store's file describes the damage, and `--repair` repairs it."
            )
        case .storeGone: self = .storeGone
        case .undecided: self = .undecided
        default: self.init(.internal, "The request couldn't be completed.")
        }
        // A store's message is for the operators.
        if code == .internal || code == .diskFull || code == .notReady { reason = Self.reason(of: error) }
    }

    /// No method can change a read-only store.
    static func readOnly(_ message: String) -> Problem { Problem(.method, message) }

    /// Validation errors of a save, with references to objects.
    private static func invalid(_ error: GraphError, in catalogue: Catalogue) -> Problem {
        var problem = Problem(.validation, error.message)
        problem.errors = error.failures.prefix(errorLimit).map { failure in
            Detail(
                object: failure.objectID.map {
                    $0.isTemporary ? catalogue[$0.entity].name : catalogue.reference(to: $0)
                },
                property: catalogue.property(of: failure),
                code: failure.code.name,
                message: catalogue.message(of: failure)
            )
        }
        problem.omittedErrors = error.failureCount - problem.errors.count
        if catalogue.isOfIdentity, let first = problem.errors.first { problem.detail = first.message }
        return problem
    }

    /// Duplicates of unique values. New rows have no references yet and are named by their positions.
    private static func taken(_ error: GraphError, in catalogue: Catalogue) -> Problem {
        var problem = Problem(.unique, error.message, hint: error.hint)
        problem.errors = error.constraintConflicts.prefix(errorLimit).map { violation in
            let entity = violation.objects.first?.entity ?? violation.stored?.objectID.entity
            let properties = catalogue.names(of: violation.constraint, of: entity)
            // The other object may be part of the same save.
            let other = violation.stored?.objectID ?? violation.objects.dropFirst().first
            // Whether an identity can read it isn't known here.
            let holder = catalogue.isOfIdentity ? nil : other.map(catalogue.reference)
            return Detail(
                object: error.row.map { "row \($0)" } ?? violation.objects.first.map(catalogue.reference),
                property: properties?.joined(separator: ","),
                code: "unique",
                message: "\(properties?.joined(separator: " and ") ?? "Some values") must be unique, but "
                    + "\(holder ?? "another object") has the same.",
                extras: [
                    "constraint": .array(properties?.map(JSONValue.string) ?? []),
                    "holder": holder.map(JSONValue.string) ?? .null,
                ]
            )
        }
        problem.omittedErrors = error.constraintConflicts.count - problem.errors.count
        return problem
    }

    static var storeGone: Problem {
        var problem = Problem(
            .notReady,
            "The store's file was deleted or replaced, so nothing can be saved."
        )
        problem.fields = [.retryAfter: "5"]
        return problem
    }

    static var undecided: Problem {
        var problem = Problem(
            .notReady,
            "The server ended during a save to several stores. Its outcome is recorded in a store that can't be read; until it is "
                + "known, nothing can be saved to this store.",
            hint: "Serve all the stores of that save together."
        )
        problem.fields = [.retryAfter: "5"]
        return problem
    }

    static var deadline: Problem {
        passing(.deadline, "The request exceeded its time limit.", hint: "An index may help; see explain=true.")
    }

    /// Another process has locked a store.
    static var locked: Problem {
        passing(
            .locked,
            "Another program holds the store's write lock and didn't release it in time; nothing was changed.",
            hint: "Try again later. Reads still work."
        )
    }

    /// Another process has an exclusive lock on a store, which prevents reading.
    static var lockedForReading: Problem {
        passing(
            .locked,
            "Another program holds an exclusive lock on the store and didn't release it in time.",
            hint: "Try again later."
        )
    }

    /// The request waited too long for its turn.
    static var busy: Problem {
        passing(
            .overload,
            "The server is busy: the request waited too long for its turn. Nothing was changed.",
            hint: "Try again later."
        )
    }

    /// Each attempt of a write was overtaken by others.
    static var overtaken: Problem {
        passing(
            .overload,
            "Other requests changed the same objects again and again. Nothing was changed.",
            hint: "Try again later."
        )
    }

    /// A temporary problem, which a retry may not have.
    private static func passing(_ code: ProblemCode, _ detail: String, hint: String) -> Problem {
        var problem = Problem(code, detail, hint: hint)
        problem.fields = [.retryAfter: "1"]
        return problem
    }
}
