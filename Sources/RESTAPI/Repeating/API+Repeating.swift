// SPDX-License-Identifier: Apache-2.0

// Requests with an Idempotency-Key are executed once; repeats get the stored answer.

import FoundationEssentials
import HTTPMessage
import ObjectGraph

extension API {
    /// Executes a plan, unless the key of its request has an answer, which is then returned.
    ///
    /// 1. The answer is made before the save is committed, and the store keeps it in the same transaction: there is an
    ///    answer exactly if something was saved.
    /// 2. Of two concurrent requests with one key, the store refuses the second one's save, and it is answered as if it
    ///    had come later. The same applies if it fails because of the first one, such as by a unique value.
    func execute(
        _ plan: Plan,
        keeping: AnswerKeeping?,
        recordingNames recordNames: NameRecording?,
        under limits: WorkLimits
    ) throws(Problem) -> Reply {
        guard let keeping, plan.keepsAnswers else {
            return try execute(plan, under: limits, recordingNames: recordNames)
        }
        // Editing contexts store their answers themselves.
        if case .answer = plan { return try execute(plan, under: limits, keeping: keeping) }
        if case .batch(let plan) = plan, case .insert(let rows) = plan.change, rows.chunkSize != nil {
            throw .keyOfChunks
        }
        if let kept = try keptAnswer(keeping) { return try kept.reply(to: keeping.fingerprint) }
        let reply: Reply
        do throws(Problem) {
            reply = try execute(plan, under: limits, keeping: keeping, recordingNames: recordNames)
        } catch {
            guard let kept = try? keptAnswer(keeping) else { throw error }
            return try kept.reply(to: keeping.fingerprint)
        }
        return keeping.reply ?? reply
    }

    private func keptAnswer(_ keeping: AnswerKeeping) throws(Problem) -> KeptAnswer? {
        let note: StoreNote?
        do throws(GraphError) {
            note = try coordinator.note(keeping.key, since: keeping.keptSince)
        } catch {
            throw Problem(error, in: catalogue)
        }
        guard let note else { return nil }
        guard let kept = KeptAnswer(note.content) else {
            throw Problem(.internal, "The answer that is kept for the Idempotency-Key can't be read.")
        }
        return kept
    }
}

extension Plan {
    /// Whether it changes something in one step, so that its answer can be stored.
    fileprivate var keepsAnswers: Bool {
        switch self {
        case .write(let plan): !plan.isDryRun
        case .batch(let plan): !plan.isDryRun
        case .answer: true
        case .object, .fetch, .bytes: false
        }
    }
}

extension Problem {
    fileprivate static var keyOfChunks: Problem {
        Problem(
            .parameter,
            "A batch that is committed in chunks can't have an Idempotency-Key, since a part of it may be done.",
            hint: "Leave out “chunk”, and it is done in one transaction."
        )
    }
}
