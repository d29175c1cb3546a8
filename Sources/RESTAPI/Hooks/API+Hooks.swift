// SPDX-License-Identifier: Apache-2.0

// Answers requests for the hooks of the server.

import Files
import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import SourceText

extension API {
    func listHooks() throws -> Reply {
        Reply(.json(["items": .array(try (hooks?.runners ?? []).map { .object(try json($0)) })]))
    }

    /// A hook with its dead letters.
    func hook(_ name: String) throws -> Reply {
        let runner = try runner(name)
        var json = try json(runner)
        json["deadLetters"] = .array(runner.records.letters.map { .object($0.json) })
        return Reply(.json(.object(json)))
    }

    func pauseHook(_ name: String) throws -> Reply {
        let runner = try runner(name)
        try Problem.writing { () throws(FileError) in try runner.pause() }
        return Reply(.json(.object(try json(runner))))
    }

    func resumeHook(_ name: String) throws -> Reply {
        let runner = try runner(name)
        try Problem.writing { () throws(FileError) in try runner.resume() }
        return Reply(.json(.object(try json(runner))))
    }

    /// Sends all dead letters again, or one.
    func retryHook(_ name: String, _ delivery: String?) throws -> Reply {
        let runner = try runner(name)
        let letters = runner.records.letters.map(\.id).filter { delivery == nil || $0 == delivery }
        if let delivery, letters.isEmpty { throw Problem.noLetter(delivery, of: name) }
        runner.change { $0.resend(letters) }
        return Reply(.json(["queued": .integer(letters.count)]), status: .accepted)
    }

    /// Removes all dead letters, or one.
    func removeLetters(_ delivery: String?, ofHook name: String) throws -> Reply {
        let runner = try runner(name)
        let count = try Problem.writing { () throws(FileError) in try runner.records.remove(delivery) }
        if let delivery, count == 0 { throw Problem.noLetter(delivery, of: name) }
        return Reply(.none, status: .noContent)
    }

    private func runner(_ name: String) throws(Problem) -> HookRunner {
        let runners = hooks?.runners ?? []
        if let runner = runners.first(where: { $0.name == name }) { return runner }
        throw Problem(
            .notFound,
            "The server has no hook “\(name)”.",
            hint: Spelling.hint(for: name, among: runners.map(\.name))
                ?? "Hooks are in the file of the setting “hooks”."
        )
    }

    private func json(_ runner: HookRunner) throws -> JSONObject {
        let hook = runner.hook
        let (schedule, status) = runner.progress
        let memory = runner.records.memory
        let backlog = try runner.backlog(behind: schedule.position)
        let next = schedule.nextAttempt.flatMap { time in
            schedule.state == .active ? Date.now + max(0, (time - .now) / .seconds(1)) : nil
        }
        return [
            "name": .string(hook.name),
            "url": .string("\(hook.url)"),
            "entities": hook.entities.map { .array($0.map(JSONValue.string)) } ?? .null,
            "kinds": hook.kinds.map { kinds in
                .array(HistoryChange.Kind.allCases.filter(kinds.contains).map { .string($0.nameInAPI) })
            } ?? .null,
            "predicate": hook.predicate.map(JSONValue.string) ?? .null,
            "state": .string(schedule.state.rawValue),
            "obstacle": status.obstacle.map(JSONValue.string) ?? .null,
            "token": .string("\(schedule.position)"),
            "pending": backlog.map { .integer($0.count) } ?? .null,
            "morePending": backlog.map { .bool($0.hasMore) } ?? .null,
            "pendingSince": backlog?.since.map(JSONValue.date) ?? .null,
            "attempts": .integer(schedule.failures?.attempts ?? 0),
            "nextAttempt": next.map(JSONValue.date) ?? .null,
            "lastSuccess": status.lastSuccess?.json ?? .null,
            "lastFailure": status.lastFailure?.json ?? .null,
            "deadLetterCount": .integer(runner.records.letterCount),
            "droppedDeadLetters": .integer(memory.droppedLetters),
            "losses": .integer(memory.losses),
            "lastLoss": memory.lastLoss.map(JSONValue.date) ?? .null,
        ]
    }
}

extension HookStatus.Attempt {
    fileprivate var json: JSONValue {
        var json: JSONObject = ["time": .date(time), "status": status.map { .integer($0) } ?? .null]
        if let reason { json["reason"] = .string(reason) }
        return .object(json)
    }
}

extension Problem {
    fileprivate static func noLetter(_ delivery: String, of hook: String) -> Problem {
        Problem(
            .notFound,
            "The hook “\(hook)” has no dead letter “\(delivery)”.",
            hint: "GET /api/hooks/\(hook) lists them."
        )
    }

    /// Runs a closure that writes the hooks' files.
    fileprivate static func writing<Result>(_ body: () throws(FileError) -> Result) throws(Problem) -> Result {
        do throws(FileError) {
            return try body()
        } catch {
            var problem = Problem(.internal, "The hooks' files can't be written.")
            problem.reason = "\(error.path): \(error.reason)"
            throw problem
        }
    }
}
