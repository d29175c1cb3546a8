// SPDX-License-Identifier: Apache-2.0

// The request of a delivery.

import Cryptography
package import HTTPMessage

/// A signed request to a receiver.
package struct HookRequest: Sendable {
    package let url: HookURL
    package let fields: HeaderFields
    package let body: [UInt8]
    /// How long the receiver may take for its answer.
    package let timeout: Duration

    package init(to url: HookURL, fields: HeaderFields = HeaderFields(), body: [UInt8], timeout: Duration) {
        self.url = url
        self.fields = fields
        self.body = body
        self.timeout = timeout
    }

    /// - Parameters:
    ///   - delivery: The delivery's ID, the same in all attempts.
    ///   - seconds: The time of the attempt, since 1970.
    init(_ hook: Hook, delivery: String, body: [UInt8], seconds: Int64) {
        var fields: HeaderFields = [.contentType: "application/json"]
        fields["Outcrop-Hook"] = hook.name
        fields["Outcrop-Delivery"] = delivery
        fields["Outcrop-Timestamp"] = "\(seconds)"
        fields["Outcrop-Signature"] = Self.signature(of: body, seconds: seconds, secret: hook.secret)
        self.init(to: hook.url, fields: fields, body: body, timeout: hook.limits.timeout)
    }

    /// `sha256=` and the HMAC of the time, a dot and the body, in hexadecimal digits.
    static func signature(of body: [UInt8], seconds: Int64, secret: [UInt8]) -> String {
        let code = HMACSHA256.code(of: Array("\(seconds).".utf8) + body, key: secret)
        return "sha256=" + code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
