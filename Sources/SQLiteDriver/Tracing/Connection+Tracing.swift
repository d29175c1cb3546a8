// SPDX-License-Identifier: Apache-2.0

// Who is told of the statements that a connection runs.

extension Connection {
    /// Is told of each execution of a statement, where there is one. Those of a database share theirs.
    public var tracer: Tracer? {
        get { tracing.tracer }
        set { tracing.set(newValue, []) }
    }

    /// Has a tracer told of each execution of a statement from now on, with some details; nil takes it off.
    public func trace(_ details: TraceDetails, by tracer: Tracer?) { tracing.set(tracer, details) }
}

extension Connection {
    /// What is noted of an execution that begins; nil where nobody wants to know.
    func beginTrace(of compiled: CompiledStatement) -> StatementTrace? {
        guard !isExplaining else { return nil }
        statementCount.add()
        return tracing.isOn ? StatementTrace() : nil
    }

    func report(
        _ trace: StatementTrace,
        of compiled: CompiledStatement,
        bindings: [SQLValue?],
        error: SQLiteError?
    ) {
        guard let tracer = tracing.tracer else { return }
        let event = TraceEvent(
            statement: compiled,
            connection: self,
            bindings: bindings,
            rows: trace.rows,
            duration: trace.duration,
            error: error,
            isOnReader: isReader
        )
        tracer(event)
    }

    /// Asks about a statement that has ended, even past its deadline. The question would undo the count of changed rows, which
    /// therefore is kept. Pragmas may take effect by being prepared only, and so are not asked about.
    func planForTrace(of text: String) -> [PlanStep] {
        let verb = text.drop { $0.isWhitespace }.prefix { $0.isLetter }
        guard ["SELECT", "WITH", "VALUES", "INSERT", "REPLACE", "UPDATE", "DELETE"].contains(verb.uppercased()) else {
            return []
        }
        let changes = changes
        isExplaining = true
        defer {
            isExplaining = false
            keptChanges = changes
        }
        return (try? within(deadline: nil, cancellation: nil) { try queryPlan(ofText: text) }) ?? []
    }
}
