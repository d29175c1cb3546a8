// SPDX-License-Identifier: Apache-2.0

// Fetches of any number of rows, which are read page by page while they are sent.

import HTTPMessage
import ObjectGraph

extension API {
    /// The rows of a fetch as a stream.
    ///
    /// 1. All of them are of one state of the stores, read by key, and no more than a page of them is in memory. A stream that takes
    ///    longer than a state is held goes on behind its last row in the newest one: however slow a client is, logs don't grow with it.
    /// 2. The first page is read before anything is answered, so that what can't be done has its own answer. Where there is no other
    ///    page it is the answer.
    /// 3. What fails later ends the connection: nobody takes what came for the whole.
    func stream(_ plan: FetchPlan) throws -> Reply {
        let (start, isWhole) = try coordinator.read(pinned: true) { reader in
            var pages = try FetchPages(plan, self, reader)
            let page = try pages.next(reader)
            return (page, pages.isAtEnd)
        }
        let type = plan.format.contentType
        var reply =
            isWhole
            ? Reply(.bytes(start, type: type))
            : Reply(.stream(type: type, length: nil, writing(plan, WorkLimits.current?.isCancelled)))
        reply.fields[.vary] = "Accept, Accept-Encoding"
        return reply
    }

    private func writing(
        _ plan: FetchPlan,
        _ isCancelled: (@Sendable () -> Bool)?
    ) -> @Sendable (any HTTPBodyWriter) throws -> Void {
        { writer in
            let state = PassingState(of: self.coordinator, for: self.options.streamStateTime)
            var pages = try self.limited(isCancelled) { try state.read { try FetchPages(plan, self, $0) } }
            while !pages.isAtEnd {
                // The client takes as long as it likes; only reading has an end.
                let page = try self.limited(isCancelled) { try state.read { try pages.next($0) } }
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
