// SPDX-License-Identifier: Apache-2.0

// What is to be done for a request: second of the four steps. A plan is a value, and no store has been touched for it.

enum Plan: Sendable {
    case object(ObjectPlan)
    case fetch(FetchPlan)
    case bytes(BytesPlan)
    case batch(BatchPlan)
    case write(WritePlan)
    /// What isn't about objects: it is answered as its endpoint has it.
    case answer(@Sendable (API, AnswerKeeping?) throws -> Reply)
}
