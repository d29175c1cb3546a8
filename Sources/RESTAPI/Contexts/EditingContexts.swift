// SPDX-License-Identifier: Apache-2.0

// The editing contexts that there are: opening them, finding them, and their end.

import HTTPMessage
import JSON
import ObjectGraph
import Synchronization

/// All editing contexts of a server.
///
/// 1. Numbers are given once. One that was given and has no context any more names one that has ended.
/// 2. A context's parent is there as long as itself.
/// 3. One that nobody has used for a time ends, unless a child is used. That is looked after whenever somebody comes.
final class EditingContexts: Sendable {
    private struct State {
        var contexts: [Int: EditingContext] = [:]
        var last = 0
    }

    private let state = Mutex(State())
    private let maximum: Int
    let idleTime: Duration

    init(_ options: APIOptions) {
        (maximum, idleTime) = (options.maximumContexts, options.contextIdleTime)
    }

    /// All of them, in the order in which they were opened.
    var all: [EditingContext] {
        endIdle()
        return state.withLock { $0.contexts.values.sorted { $0.number < $1.number } }
    }

    func context(named name: String) throws(Problem) -> EditingContext {
        endIdle()
        let number = EditingContext.number(of: name)
        let (found, last) = state.withLock { state in (number.flatMap { state.contexts[$0] }, state.last) }
        if let found { return found }
        guard let number, number <= last else {
            throw Problem(
                .notFound,
                "There is no editing context “\(name.shortened)”.",
                hint: "POST /api/contexts opens one."
            )
        }
        throw Problem(
            .gone,
            "The editing context \(name) has ended: it was deleted, or nobody has used it for too long.",
            hint: "POST /api/contexts opens another."
        )
    }

    /// The context at the top of the one with a name; nil where there is none.
    func root(ofContextNamed name: String) -> EditingContext? {
        EditingContext.number(of: name).flatMap { number in state.withLock { $0.contexts[number] } }?.root
    }

    func open(_ settings: ContextSettings, parent: EditingContext?, in api: API) throws -> EditingContext {
        endIdle()
        let drafts = try Catalogue(api.coordinator.model, showsTransients: true)
        let number = try state.withLock { state throws(Problem) in
            guard state.contexts.count < maximum else { throw .tooMany(maximum) }
            state.last += 1
            return state.last
        }
        let context = try EditingContext(number: number, settings, parent: parent, in: api, drafts)
        state.withLock { $0.contexts[number] = context }
        return context
    }

    /// Ends a context and those below it.
    func end(_ context: EditingContext) {
        let ended = state.withLock { state in
            let ended = state.contexts.values.filter { $0.isBelow(context) }
            for context in ended { state.contexts[context.number] = nil }
            return ended
        }
        guard !ended.isEmpty else { return }
        context.family.remove(context.member)
    }

    /// Ends those that nobody has used for too long, which no child of theirs was either.
    private func endIdle() {
        let idle = state.withLock { $0.contexts.values.filter { $0.isIdle(after: idleTime) } }
        for context in idle where all(below: context).allSatisfy({ $0.isIdle(after: idleTime) }) {
            end(context)
        }
    }

    func all(below context: EditingContext) -> [EditingContext] {
        state.withLock { $0.contexts.values.filter { $0.isBelow(context) && $0 !== context } }
            .sorted { $0.number < $1.number }
    }
}

extension EditingContext {
    /// Whether it is another one, or descends from it.
    fileprivate func isBelow(_ other: EditingContext) -> Bool { self === other || parent?.isBelow(other) == true }
}

extension Problem {
    fileprivate static func tooMany(_ maximum: Int) -> Problem {
        var problem = Problem(
            .overload,
            "There are \(maximum) editing contexts, and may be no more.",
            hint: "DELETE /api/contexts/{c} ends one; those that nobody uses end by themselves."
        )
        problem.fields = [.retryAfter: "60"]
        return problem
    }
}
