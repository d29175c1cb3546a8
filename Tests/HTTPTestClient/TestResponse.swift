// SPDX-License-Identifier: Apache-2.0

// A response, for tests.

/// A response as received.
package struct TestResponse {
    package let head: String
    package private(set) var fields: [(name: String, value: String)] = []
    package internal(set) var body: [UInt8] = []
    package internal(set) var chunks = 0

    init(head: String) { self.head = head }

    package var status: Int { head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0 }
    package var text: String { String(decoding: body, as: UTF8.self) }

    package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    mutating func add(_ line: String) {
        let parts = line.split(separator: ":", maxSplits: 1)
        guard let name = parts.first, parts.count == 2 else { return }
        fields.append((name.lowercased(), String(parts[1].drop { $0 == " " })))
    }
}
