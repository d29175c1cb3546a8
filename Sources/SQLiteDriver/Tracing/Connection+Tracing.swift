// SPDX-License-Identifier: Apache-2.0

// Who is told of the statements that a connection runs.

extension Connection {
    /// Is told of each execution of a statement, where there is one. Those of a database share theirs.
    public var tracer: Tracer? {
        get { tracing.tracer }
        set { tracing.tracer = newValue }
    }
}
