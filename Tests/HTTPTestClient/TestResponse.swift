// SPDX-License-Identifier: Apache-2.0

// A response, for tests.

/// A response as received.
public struct TestResponse {
    public let head: String
    public private(set) var fields: [(name: String, value: String)] = []
    public internal(set) var body: [UInt8] = []
    public internal(set) var chunks = 0

    init(head: String) { self.head = head }

    public var status: Int { head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0 }
    public var text: String { String(decoding: body, as: UTF8.self) }

    public subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    mutating func add(_ line: String) {
        let parts = line.split(separator: ":", maxSplits: 1)
        guard let name = parts.first, parts.count == 2 else { return }
        fields.append((name.lowercased(), String(parts[1].drop { $0 == " " })))
    }
}
