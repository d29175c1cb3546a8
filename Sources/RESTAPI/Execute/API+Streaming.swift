// SPDX-License-Identifier: Apache-2.0

// Streams fetches of any number of rows, reading page by page.

import HTTPMessage
import ObjectGraph

extension API {
    /// The rows of a fetch as a stream.
    ///
    /// 1. All rows have the same state of the stores, are read by key, and only one page is in memory. If the stream
    ///    takes longer than a state may be held, it continues after its last row in the newest state, so that a slow
    ///    client doesn't make logs grow.
    /// 2. The first page is read before the response begins, so that errors have a response of their own. If there is
    ///    no other page, the first one is the response.
    /// 3. A later error closes the connection, so that clients notice that the response is incomplete.
    func stream(_ plan: FetchPlan) throws -> Reply {
        let (start, isWhole) = try read(pinned: true) { reader in
            var pages = try FetchPages(plan, in: self, from: reader)
            let page = try pages.next(reader)
            return (page, pages.isAtEnd)
        }
        let type = plan.format.contentType
        var reply = Reply(.bytes(start, type: type))
        if !isWhole {
            // The stream may begin only after the stores have been migrated.
            let state = ExpiringGeneration(of: coordinator, for: options.streamStateTime)
            try state.hold()
            streamedStates.add(state)
            reply = Reply(.stream(type: type, length: nil, writing(plan, at: state, WorkLimits.current?.isCancelled)))
        }
        reply.fields[.vary] = "Accept, Accept-Encoding"
        return reply
    }

    private func writing(
        _ plan: FetchPlan,
        at state: ExpiringGeneration,
        _ isCancelled: (@Sendable () -> Bool)?
    ) -> @Sendable (any HTTPBodyWriter) throws -> Void {
        { writer in
            var pages = try self.limited(isCancelled) {
                try state.read { try FetchPages(plan, in: self, from: self.narrowed($0)) }
            }
            while !pages.isAtEnd {
                // The client may be slow; only reading has a deadline.
                let page = try self.limited(isCancelled) { try state.read { try pages.next(self.narrowed($0)) } }
                if !page.isEmpty { try writer.write(page) }
            }
        }
    }

    private func limited<Result>(
        _ isCancelled: (@Sendable () -> Bool)?,
        _ body: () throws -> Result
    ) throws -> Result {
        let limits = WorkLimits(
            deadline: options.deadline.map { .now + $0 },
            isCancelled: isCancelled,
            allowance: ReadAllowance(options.readLimit)
        )
        do {
            return try limits.hold(body)
        } catch let error as GraphError where error.code == .cancelled {
            throw error
        } catch {
            throw ContentFailure(reason: Problem.reason(of: error))
        }
    }
}
