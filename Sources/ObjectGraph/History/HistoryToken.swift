// SPDX-License-Identifier: Apache-2.0

// Positions in the history of stores.

public import FoundationEssentials

/// A position in the histories of some stores: its holder knows all changes up to it.
///
///     let token = try coordinator.currentHistoryToken()
///     …
///     for transaction in try coordinator.history(HistoryRequest(after: token)).transactions { … }
///
/// A token stays valid across processes until the store trims what follows it. Its `description` can be kept as text.
public struct HistoryToken: Hashable, Sendable {
    /// A position in the history of one store.
    public struct Position: Hashable, Sendable {
        /// The last transaction that is known completely.
        public var transaction: Int64
        /// The last known change of the next transaction, or nil if none of it is known.
        public var change: Int64?

        public init(transaction: Int64, change: Int64? = nil) {
            self.transaction = transaction
            self.change = change
        }

        /// Before the first transaction.
        public static let start = Position(transaction: 0)
    }

    private var positions: [UUID: Position]

    public init(positions: [UUID: Position] = [:]) {
        self.positions = positions
    }

    /// The position in a store's history, or nil if the token is older than the store's attachment.
    public subscript(store: UUID) -> Position? {
        get { positions[store] }
        set { positions[store] = newValue }
    }

    public var stores: Set<UUID> { Set(positions.keys) }
}

extension HistoryToken.Position: Comparable {
    public static func < (one: Self, other: Self) -> Bool {
        (one.transaction, one.change ?? .min) < (other.transaction, other.change ?? .min)
    }
}

extension HistoryToken: LosslessStringConvertible {
    /// For each store its identifier and position: `5F0C…-17`, or `5F0C…-17-3` within a transaction.
    public var description: String {
        positions.sorted { $0.key.uuidString < $1.key.uuidString }.map { store, position in
            let digits = store.uuidString.lowercased().filter { $0 != "-" }
            let change = position.change.map { "-\($0)" } ?? ""
            return "\(digits)-\(position.transaction)\(change)"
        }
        .joined(separator: ".")
    }

    /// Nil if the text isn't a token.
    public init?(_ text: String) {
        positions = [:]
        for part in text.split(separator: ".", omittingEmptySubsequences: false) {
            let fields = part.split(separator: "-", omittingEmptySubsequences: false)
            guard 2...3 ~= fields.count, let store = UUID(digits: fields[0]), positions[store] == nil,
                let transaction = Int64(number: fields[1])
            else { return nil }
            var position = Position(transaction: transaction)
            if fields.count == 3 {
                guard let change = Int64(number: fields[2]) else { return nil }
                position.change = change
            }
            positions[store] = position
        }
    }
}

extension UUID {
    /// An identifier in 32 hexadecimal digits.
    fileprivate init?(digits: Substring) {
        guard digits.utf8.count == 32 else { return nil }
        var text = ""
        for (place, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(place) { text.append("-") }
            text.append(digit)
        }
        self.init(uuidString: text)
    }
}

extension Int64 {
    /// A number without sign and superfluous zeros, so that each token has one text.
    fileprivate init?(number: Substring) {
        guard let value = Int64(number), value >= 0, String(value) == number else { return nil }
        self = value
    }
}
