// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JSON

extension ServerSentEvent {
    /// The last event of a stream, with the reason.
    static func end(_ code: ProblemCode, _ detail: String) -> ServerSentEvent {
        let data = JSONValue.object(["code": .string(code.description), "detail": .string(detail)])
        return ServerSentEvent(event: "end", data: data.serialized())
    }

    /// The last event of a stream of stores that get another model.
    static let changedModel = end(.migrating, "The server takes another model. Connect again.")
}
