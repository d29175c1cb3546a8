// SPDX-License-Identifier: Apache-2.0

// Tracing of the statements of a connection.

extension Connection {
    /// Called after each execution of a statement. The connections of a database share a tracer.
    public var tracer: Tracer? {
        get { tracing.tracer }
        set { tracing.set(newValue, details: []) }
    }

    /// Sets a tracer with optional details, or removes it if nil.
    public func trace(_ details: TraceDetails, by tracer: Tracer?) { tracing.set(tracer, details: details) }
}

extension Connection {
    /// Counts an execution that begins, and returns what records its trace; nil if no tracer is set.
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
        guard tracing.includes(trace.duration), let tracer = tracing.tracer else { return }
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

    /// Reads the plan of a statement that has ended, even past its deadline. This would reset the count of changed
    /// rows, so that is kept. Some pragmas take effect when prepared, so no plan is read for them.
    func planForTrace(of text: String) -> [PlanStep] {
        let verb = text.drop { $0.isWhitespace }.prefix { $0.isLetter }
        guard ["SELECT", "WITH", "VALUES", "INSERT", "REPLACE", "UPDATE", "DELETE"].contains(verb.uppercased()) else {
            return []
        }
        let changes = changes
        isExplaining = true
        defer {
            isExplaining = false
            savedChangeCount = changes
        }
        return (try? within(deadline: nil, cancellation: nil) { try queryPlan(ofText: text) }) ?? []
    }
}
