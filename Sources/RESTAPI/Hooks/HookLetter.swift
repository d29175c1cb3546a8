// SPDX-License-Identifier: Apache-2.0

// A dead letter, and its file.

import FoundationEssentials
import JSON

/// A delivery that was given up.
struct HookLetter: Equatable, Sendable {
    /// The delivery's ID.
    let id: String
    /// When the transaction was made, and when the delivery was given up.
    let time: Date
    let givenUp: Date
    var attempts: Int
    /// The receiver's last status, if it has answered, and the reason.
    var status: Int?
    var reason: String
    /// Letters are in the order of their numbers.
    var number = 0
}

extension HookLetter {
    var file: String { String(repeating: "0", count: max(0, 12 - "\(number)".count)) + "\(number).json" }

    init?(_ json: JSONValue, _ number: Int) {
        guard let id = json["delivery"]?.string, let time = json["time"]?.date, let givenUp = json["givenUp"]?.date,
            json["body"]?.string != nil
        else { return nil }
        self.id = id
        self.time = time
        self.givenUp = givenUp
        attempts = json["attempts"]?.int64.map { Int($0) } ?? 0
        status = json["status"]?.int64.map { Int($0) }
        reason = json["reason"]?.string ?? ""
        self.number = number
    }

    /// As it is listed.
    var json: JSONObject {
        [
            "delivery": .string(id),
            "time": .date(time),
            "givenUp": .date(givenUp),
            "attempts": .integer(attempts),
            "status": status.map { .integer($0) } ?? .null,
            "reason": .string(reason),
        ]
    }

    /// With the body, exactly as it is sent.
    func json(body: [UInt8]) -> JSONValue {
        var json = json
        json["body"] = .string(String(decoding: body, as: UTF8.self))
        return .object(json)
    }
}
