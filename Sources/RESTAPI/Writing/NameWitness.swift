// SPDX-License-Identifier: Apache-2.0

// Who wants to know what new objects will be called, before they are saved.

/// Is told by each save, before it is done, which references the temporary names of its objects stand for. What is noted of that is there
/// whenever the objects are, whatever happens in between.
package struct NameWitness: Sendable {
    let tell: @Sendable ([String: String]) throws -> Void

    @TaskLocal static var current: NameWitness?

    package init(_ tell: @escaping @Sendable ([String: String]) throws -> Void) { self.tell = tell }

    /// Runs a closure whose saves tell of their names.
    package func watch<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Self.$current.withValue(self, operation: body)
    }
}
