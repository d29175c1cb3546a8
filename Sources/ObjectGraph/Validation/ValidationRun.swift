// SPDX-License-Identifier: Apache-2.0

// The state of a context's validation. Whether or not hooks call the model's checks by `super`, each check runs once
// and counts.

import Predicates

/// A running validation.
///
/// 1. The model's checks of an object run in the base class's hooks, or after an override that doesn't call `super`.
/// 2. The failures of these checks count, whatever an override does with the error.
final class ValidationRun {
    let patterns = PatternChecker()
    /// The object whose hook is running.
    private var object: ManagedObject?
    /// The failures of the model's checks; nil until the hook has run them.
    private var found: [ValidationFailure]?

    /// Calls the hook of an object.
    ///
    /// - Parameter check: Runs the model's checks if the hook hasn't.
    func failures(
        of object: ManagedObject,
        hook: () throws -> Void,
        check: () throws(GraphError) -> [ValidationFailure]
    ) throws(GraphError) -> [ValidationFailure] {
        self.object = object
        found = nil
        defer {
            self.object = nil
            found = nil
        }
        let thrown = try ValidationFailures.thrown(by: hook)
        let found = if let found { found } else { try check() }
        return found.adding(thrown)
    }

    /// Records the failures of the model's checks.
    func record(_ failures: [ValidationFailure], of object: ManagedObject) {
        if object === self.object { found = failures }
    }
}

/// A value for which the engine is calling an object's `validate(_:forKey:)`.
struct ValueCheck {
    let object: ManagedObject
    let attribute: AttributeDescription
    let patterns: PatternChecker
    /// The value last checked against the model, and its failures.
    var seen: (value: Value, failures: [ValidationFailure])?
}

extension ValidationFailures {
    /// The failures that a hook throws. Other errors of the engine are rethrown.
    static func thrown(by hook: () throws -> Void) throws(GraphError) -> [ValidationFailure] {
        do {
            try hook()
            return []
        } catch let failure as ValidationFailure {
            return [failure]
        } catch let several as ValidationFailures {
            return several.failures
        } catch let error as GraphError {
            throw error
        } catch {
            return [ValidationFailure(.general, "\(error)")]
        }
    }
}

extension [ValidationFailure] {
    /// These failures, and others that aren't among them.
    func adding(_ others: [ValidationFailure]) -> [ValidationFailure] {
        isEmpty ? others : self + others.filter { !contains($0) }
    }

    /// Throws the failures, if any: a single one as itself, several as one error.
    func check() throws {
        guard let first else { return }
        if count == 1 { throw first }
        throw ValidationFailures(self)
    }
}
