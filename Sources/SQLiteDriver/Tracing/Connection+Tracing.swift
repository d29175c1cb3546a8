// SPDX-License-Identifier: Apache-2.0

// Tracing, and how SQLite means to run a statement.

extension Connection {
    /// Is told of each execution of a statement, where there is one. Those of a database share theirs.
    public var tracer: Tracer? {
        get { tracing.tracer }
        set { tracing.tracer = newValue }
    }
}
