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
        guard tracing.isOn else { return nil }
        return StatementTrace(plan: tracing.details.contains(.plans) ? planForTrace(of: compiled.text) : [])
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
            bindings: bindings,
            plan: trace.plan,
            rows: trace.rows,
            duration: trace.duration,
            error: error,
            isOnReader: isReader
        )
        tracer(event)
    }

    /// Asked for before the statement runs: afterwards it would undo the count of changed rows. Pragmas may take effect by being
    /// prepared only, and so are not asked about.
    private func planForTrace(of text: String) -> [PlanStep] {
        let verb = text.drop { $0.isWhitespace }.prefix { $0.isLetter }
        guard ["SELECT", "WITH", "VALUES", "INSERT", "REPLACE", "UPDATE", "DELETE"].contains(verb.uppercased()) else {
            return []
        }
        isExplaining = true
        defer { isExplaining = false }
        return (try? queryPlan(ofText: text)) ?? []
    }
}
