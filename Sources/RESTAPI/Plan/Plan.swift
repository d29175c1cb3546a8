// SPDX-License-Identifier: Apache-2.0

// The result of planning, the second of four steps. A plan is a value; no store was accessed for it, except to find the
// entity of a URI's object.

enum Plan: Sendable {
    case object(ObjectPlan)
    case fetch(FetchPlan)
    /// A fetch whose result is streamed as it changes.
    ///
    /// - Parameter after: The last event that the client has received, or nil.
    case live(LivePlan, after: String?)
    case bytes(BytesPlan)
    case batch(BatchPlan)
    case write(WritePlan)
    /// A request that doesn't concern objects; its endpoint provides the answer.
    case answer(@Sendable (API, AnswerRecorder?) throws -> Reply)
}
