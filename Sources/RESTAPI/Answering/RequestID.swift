// SPDX-License-Identifier: Apache-2.0

// The ID of a request in its response and in logs.

import HTTPMessage
import Synchronization

enum RequestID {
    private static let count = Atomic<UInt64>(.random(in: .min ... .max))

    /// The client's ID if it is valid, or else a new one.
    static func of(_ request: HTTPRequest) -> String { of(request.fields[.requestID]) }

    static func of(_ own: String?) -> String {
        guard let own, isAcceptable(own) else { return next() }
        return own
    }

    /// A new ID, unique in this process and very likely among processes. It is short, since every request gets one.
    private static func next() -> String {
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue
        // Multiplying by an odd number is a bijection, and makes successive IDs dissimilar.
        return String(number &* 0x9E37_79B9_7F4A_7C15, radix: 36)
    }

    private static func isAcceptable(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "._~+/=-".utf8.contains(byte)
                }
            }
    }
}
