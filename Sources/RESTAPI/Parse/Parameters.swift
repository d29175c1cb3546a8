// SPDX-License-Identifier: Apache-2.0

// The parameters of a query or a body, and which of them were read.

import HTTPMessage
import SourceText

/// The parameters of a query in order. Reading one removes it; those that remain are unknown.
struct Parameters: Equatable {
    private(set) var items: [QueryItem]
    /// The names of conditions whose value is null, which has no form in a query.
    private(set) var nulls: [String]

    init(_ items: [QueryItem] = [], nulls: [String] = []) { (self.items, self.nulls) = (items, nulls) }

    var isEmpty: Bool { items.isEmpty }

    /// The remaining names without duplicates, in order.
    var names: [String] {
        var seen: Set<String> = []
        return (items.map(\.name) + nulls).filter { seen.insert($0).inserted }
    }

    func contains(_ name: String) -> Bool { items.contains { $0.name == name } }

    /// The value of a parameter that may occur once.
    mutating func read(_ name: String) throws(Problem) -> String? {
        let values = readAll(name)
        guard values.count < 2 else {
            throw Problem(
                .parameter,
                "The parameter “\(name)” is given \(values.count) times.",
                hint: "Use it only once."
            )
        }
        return values.first
    }

    /// The values of a parameter, in order.
    mutating func readAll(_ name: String) -> [String] {
        guard items.contains(where: { $0.name == name }) else { return [] }
        let values = items.filter { $0.name == name }.map(\.value)
        items = items.filter { $0.name != name }
        return values
    }

    /// Removes parameters that were read elsewhere.
    mutating func drop(_ names: Set<String>) {
        items.removeAll { names.contains($0.name) }
        nulls.removeAll { names.contains($0) }
    }

    mutating func readFlag(_ name: String) throws(Problem) -> Bool? {
        switch try read(name) {
        case nil: return nil
        case "true", "1": return true
        case "false", "0": return false
        case let other?:
            throw Problem(.parameter, "The parameter “\(name)” must be true or false, not “\(other)”.")
        }
    }

    /// A number beyond 64 bits is the greatest one, which is subject to the same limits.
    mutating func readNumber(_ name: String) throws(Problem) -> Int? {
        guard let text = try read(name) else { return nil }
        guard !text.isEmpty, text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
            throw Problem(.parameter, "The parameter “\(name)” must be a non-negative integer, not “\(text)”.")
        }
        return Int(text) ?? .max
    }

    mutating func readChoice<Choice: RawRepresentable & CaseIterable>(
        _ name: String,
        _ type: Choice.Type = Choice.self
    ) throws(Problem) -> Choice? where Choice.RawValue == String {
        guard let text = try read(name) else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        let choices = Choice.allCases.map(\.rawValue)
        throw Problem(
            .parameter,
            "The parameter “\(name)” can't be “\(text)”.",
            hint: Spelling.hint(for: text, among: choices) ?? "Use one of \(choices.joined(separator: ", "))."
        )
    }

    /// Refuses parameters that weren't read.
    func refuseUnread(knowing names: [String]) throws(Problem) {
        try refuseUnread { name in
            FamiliarParameters.hint(for: name, knowing: names) ?? Spelling.hint(for: name, among: names)
                ?? "Known parameters: \((names + ["pretty"]).joined(separator: ", "))."
        }
    }

    func refuseUnread(_ hint: (String) -> String?) throws(Problem) {
        guard let first = names.first else { return }
        throw Problem(.parameter, "The parameter “\(first)” is unknown.", hint: hint(first))
    }
}
