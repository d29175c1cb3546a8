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
    func executeOnce(
        _ plan: Plan,
        recorder: AnswerRecorder?,
        under limits: WorkLimits
    ) throws(Problem) -> Reply {
        guard let recorder, plan.recordsAnswer else {
            return try execute(plan, under: limits)
        }
        // Editing contexts store their answers themselves.
        if case .answer = plan { return try execute(plan, recorder: recorder, under: limits) }
        if case .batch(let plan) = plan, case .insert(let rows) = plan.change, rows.chunkSize != nil {
            throw .keyWithChunks
        }
        if case .write(let plan) = plan, plan.setsPasswords { throw .keyWithPassword }
        if let kept = try storedAnswer(recorder) { return try kept.reply(to: recorder.fingerprint) }
        let reply: Reply
        do throws(Problem) {
            reply = try execute(plan, recorder: recorder, under: limits)
        } catch {
            guard let kept = try? storedAnswer(recorder) else { throw error }
            return try kept.reply(to: recorder.fingerprint)
        }
        return recorder.reply ?? reply
    }

    private func storedAnswer(_ recorder: AnswerRecorder) throws(Problem) -> StoredAnswer? {
        let note: StoreNote?
        do throws(GraphError) {
            note = try coordinator.note(recorder.key, since: recorder.keptSince)
        } catch {
            throw Problem(error, in: catalogue)
        }
        guard let note else { return nil }
        guard let kept = StoredAnswer(note.content) else {
            throw Problem(.internal, "The answer stored for the Idempotency-Key can't be read.")
        }
        return kept
    }
}

extension Plan {
    /// Whether it changes something in one step, so that its answer can be stored.
    fileprivate var recordsAnswer: Bool {
        switch self {
        case .write(let plan): !plan.isDryRun
        case .batch(let plan): !plan.isDryRun
        case .answer: true
        case .object, .fetch, .live, .bytes: false
        }
    }
}

extension Problem {
    /// A store keeps the digest of a request, from which a password could be guessed faster than from its hash.
    fileprivate static var keyWithPassword: Problem {
        Problem(
            .parameter,
            "A request that sets a password can't have an Idempotency-Key.",
            hint: "Omit the key: setting the same password again does no harm."
        )
    }

    fileprivate static var keyWithChunks: Problem {
        Problem(
            .parameter,
            "A batch that is committed in chunks can't have an Idempotency-Key, since it may be completed in part.",
            hint: "Omit “chunk” to use one transaction."
        )
    }
}
