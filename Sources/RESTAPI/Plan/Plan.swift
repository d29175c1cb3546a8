// SPDX-License-Identifier: Apache-2.0

// What is to be done for a request: second of the four steps. A plan is a value, and no store has been touched for it.

enum Plan: Equatable, Sendable {
    case object(ObjectPlan)
    case fetch(FetchPlan)
    case queries
    case bytes(BytesPlan)
    case batch(BatchPlan)
    case server(ServerPlan)
    case description(DescriptionPlan)
    case write(WritePlan)
    case context(ContextPlan)
}
