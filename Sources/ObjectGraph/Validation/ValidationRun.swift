// SPDX-License-Identifier: Apache-2.0

// What one validation of a context knows. The hooks of objects call the model's checks by `super`, or don't: either way each check is
// made once, and counts.

import Predicates

/// A validation that is under way.
///
/// 1. The model's checks of an object are made by the base class's hooks, or, where an override doesn't call these, after it.
/// 2. What the checks have found counts, whatever an override makes of the error.
final class ValidationRun {
    let patterns = PatternChecker()
    /// The object whose hook is called.
    private var object: ManagedObject?
    /// What the model's checks have found; nil as long as the hook hasn't made them.
    private var found: [ValidationFailure]?

    /// Calls the hook of an object.
    ///
    /// - Parameter check: The model's checks, for a hook that doesn't make them.
    func failures(
        of object: ManagedObject,
        hook: () throws -> Void,
        check: () throws(GraphError) -> [ValidationFailure]
    ) throws(GraphError) -> [ValidationFailure] {
        self.object = object
        found = nil
        defer { (self.object, found) = (nil, nil) }
        let thrown = try ValidationFailures.thrown(by: hook)
        let found = if let found { found } else { try check() }
        return found.adding(thrown)
    }

    /// Takes note of what the model's checks have found of an object.
    func record(_ failures: [ValidationFailure], of object: ManagedObject) {
        if object === self.object { found = failures }
    }
}

/// A value that an object's `validate(_:forKey:)` is asked about by the engine.
struct ValueCheck {
    let object: ManagedObject
    let attribute: AttributeDescription
    let patterns: PatternChecker
    /// The value that the model's check has seen last, and what it has found.
    var seen: (value: Value, failures: [ValidationFailure])?
}

extension ValidationFailures {
    /// What a hook throws, as failures. An error of the engine's own is none, and is thrown.
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
    /// These, and those others that aren't among them.
    func adding(_ others: [ValidationFailure]) -> [ValidationFailure] {
        isEmpty ? others : self + others.filter { !contains($0) }
    }

    /// Throws these, if there are any: one by itself, several as one error.
    func check() throws {
        guard let first else { return }
        if count == 1 { throw first }
        throw ValidationFailures(self)
    }
}
