// SPDX-License-Identifier: Apache-2.0

// The state of the stores that is read.

extension StoreSource {
    var queryGenerationToken: QueryGenerationToken? {
        if case .token(let token) = generation { token } else { nil }
    }

    func setQueryGeneration(_ generation: QueryGeneration) { self.generation = generation }

    /// The state read at present, for repeated reads of the same state.
    func currentState() throws(GraphError) -> QueryGenerationToken {
        if let token = try pinned() { return token }
        return try coordinator.currentQueryGeneration()
    }

    /// Runs a closure that reads a state.
    func reading<Result>(
        _ state: QueryGenerationToken,
        _ body: () throws(GraphError) -> Result
    ) throws(GraphError) -> Result {
        let chosen = generation
        generation = .token(state)
        defer { generation = chosen }
        return try body()
    }

    func advanceQueryGeneration() {
        if case .token = generation { generation = .current }
    }

    /// The generation to read, or nil for the latest.
    func pinned() throws(GraphError) -> QueryGenerationToken? {
        switch generation {
        case .unpinned: return nil
        case .token(let token): return token
        case .current:
            let token = try coordinator.currentQueryGeneration()
            generation = .token(token)
            return token
        }
    }
}
