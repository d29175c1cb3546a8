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
            let missing = error.objectID.map { "There is no \(catalogue.reference(to: $0))." }
            self.init(.notFound, missing ?? error.message, hint: error.hint)
        case .invalidRequest where error.underlying is EvaluationError:
            self.init(.predicate, error.message, hint: error.hint)
        case .tooExpensive:
            self.init(
                .predicate,
                "More objects would have to be looked at one by one than may be, for what the store can't look for.",
                hint: "Add a condition that it can look for; explain=true shows what is evaluated in memory."
            )
        case .unknownName, .invalidRequest: self.init(.parameter, error.message, hint: error.hint)
        case .wrongType, .notWritable, .acrossStores, .unknownStore:
            self.init(.validation, error.message, hint: error.hint)
        // A store's message names its file, which clients must not see.
        case .readOnly: self = .readOnly(error.underlying == nil ? error.message : "The store can't be written.")
        case .validation: self = .invalid(error, in: catalogue)
        case .conflict: self.init(.conflict, error.message, hint: error.hint)
        case .constraint: self = .taken(error, in: catalogue)
        case .contextFull:
            self.init(
                .tooLarge,
                error.message,
                hint: "Save what is pending and send it again, or write straight to the store, past the context."
            )
        case .tooMuchRead:
            self.init(
                .tooLarge,
                error.message,
                hint: "Ask for fewer objects by “limit”; NDJSON (Accept: application/x-ndjson) has any length."
            )
            extras["limit"] = "requestMemory"
        case .limitExceeded: self.init(.maxAffected, error.message, hint: error.hint)
        case .deadline, .cancelled: self = .deadline
        case .locked: self = .locked
        case .busy: self = .busy
        case .noteTaken: self.init(.idempotency, "Another request has the Idempotency-Key.")
        case .noteUnkept:
            self.init(
                .notImplemented,
                "The answer can't be kept for an Idempotency-Key: \(error.message)",
                hint: error.hint ?? "Leave the key out, and see whether it was done before doing it again."
            )
        case .diskFull: self.init(.diskFull, "The disk of the store is full.")
        case .noKeys:
            self.init(
                .internal,
                "The store can take no new objects of this entity: what it notes of their numbers is wrong.",
                hint: "`outcrop store check` on the store's file tells more, and `--repair` mends it."
            )
        case .storeGone: self = .storeGone
        case .undecided: self = .undecided
        default: self.init(.internal, "The request could not be done.")
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
                object: failure.objectID.map { $0.isTemporary ? $0.entity.name : catalogue.reference(to: $0) },
                property: failure.property.map { ResourceProperty.name(of: $0) },
                code: failure.code.name,
                message: failure.message
            )
        }
        problem.omittedErrors = error.failureCount - problem.errors.count
        return problem
    }

    /// Duplicates of unique values. New rows have no references yet and are named by their positions.
    private static func taken(_ error: GraphError, in catalogue: Catalogue) -> Problem {
        var problem = Problem(.unique, error.message, hint: error.hint)
        problem.errors = error.constraintConflicts.prefix(errorLimit).map { violation in
            let properties = violation.constraint.map { ResourceProperty.name(of: $0.name) }
            // The other object may be part of the same save.
            let other = violation.stored?.objectID ?? violation.objects.dropFirst().first
            let holder = other.map(catalogue.reference)
            return Detail(
                object: error.row.map { "row \($0)" } ?? violation.objects.first.map(catalogue.reference),
                property: properties.joined(separator: ","),
                code: "unique",
                message:
                    "\(properties.joined(separator: " and ")) must be unique, and \(holder ?? "another") has the same.",
                extras: [
                    "constraint": .array(properties.map(JSONValue.string)),
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
            "The file of the store was deleted or replaced, so that nothing can be saved."
        )
        problem.fields = [.retryAfter: "5"]
        return problem
    }

    static var undecided: Problem {
        var problem = Problem(
            .notReady,
            "The server ended during a save into this store and others, and whether that was done can't be found out, since the "
                + "store that knows can't be read. Until it can, nothing is saved here.",
            hint: "Serve all stores together that the save went into."
        )
        problem.fields = [.retryAfter: "5"]
        return problem
    }

    static var deadline: Problem {
        passing(.deadline, "It took longer than it may.", hint: "An index may serve it; see explain=true.")
    }

    /// Another process has locked a store.
    static var locked: Problem {
        passing(
            .locked,
            "Another program is writing into the store and did not let go of it in time; nothing was changed.",
            hint: "Send it again after a moment. Reading goes on meanwhile."
        )
    }

    /// Another process has an exclusive lock on a store, which prevents reading.
    static var lockedForReading: Problem {
        passing(
            .locked,
            "Another program has the store for itself and did not let go of it in time.",
            hint: "Send it again after a moment."
        )
    }

    /// The request waited too long for its turn.
    static var busy: Problem {
        passing(
            .overload,
            "There is too much to do: its turn did not come in time. Nothing was changed.",
            hint: "Send it again after a moment."
        )
    }

    /// A temporary problem, which a retry may not have.
    private static func passing(_ code: ProblemCode, _ detail: String, hint: String) -> Problem {
        var problem = Problem(code, detail, hint: hint)
        problem.fields = [.retryAfter: "1"]
        return problem
    }
}
