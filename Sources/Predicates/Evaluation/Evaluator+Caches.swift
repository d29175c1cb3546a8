// SPDX-License-Identifier: Apache-2.0

// The state that an evaluator keeps between objects: compiled patterns and hashed lists.

extension Evaluator {
    struct Caches {
        struct Pattern: Hashable {
            let bytes: [UInt8]
            let options: Comparison.Options

            /// Keyed by bytes, since Swift compares strings by canonical equivalence.
            init(_ text: String, _ options: Comparison.Options) {
                bytes = Array(text.utf8)
                self.options = options
            }
        }

        struct List {
            let values: [Value]
            let options: Comparison.Options
            let members: OperandSet
        }

        var regularExpressions: [Pattern: RegularExpression] = [:]
        var likePatterns: [Pattern: LikePattern] = [:]
        var lists: [List] = []
    }

    package func regularExpression(
        _ pattern: String,
        _ options: Comparison.Options = []
    ) throws -> RegularExpression {
        try cached(\.regularExpressions, Caches.Pattern(pattern, options)) { try RegularExpression(pattern, options) }
    }

    func likePattern(_ pattern: String, _ options: Comparison.Options) -> LikePattern {
        cached(\.likePatterns, Caches.Pattern(pattern, options)) { LikePattern(pattern, options) }
    }

    /// The members of a constant list in a hash table, or nil if hashing doesn't pay.
    ///
    /// Lists are identified by their storage, which the cache retains.
    func hashedMembers(of values: [Value], _ options: Comparison.Options) -> OperandSet? {
        guard values.count >= Self.shortestHashedList, !options.contains(.localeSensitive) else { return nil }
        if let list = caches.lists.first(where: {
            $0.options == options && $0.values.span.isIdentical(to: values.span)
        }) {
            return list.members
        }
        guard caches.lists.count < Self.maximumHashedLists else { return nil }
        let members = OperandSet(values.lazy.map(Operand.value), options)
        caches.lists.append(Caches.List(values: values, options: options, members: members))
        return members
    }

    private func cached<Key, Entry>(
        _ cache: WritableKeyPath<Caches, [Key: Entry]>,
        _ key: Key,
        make: () throws -> Entry
    ) rethrows -> Entry {
        if let entry = caches[keyPath: cache][key] { return entry }
        // Patterns can be values of objects, so their number is unlimited.
        if caches[keyPath: cache].count >= Self.maximumPatterns { caches[keyPath: cache].removeAll() }
        let entry = try make()
        caches[keyPath: cache][key] = entry
        return entry
    }

    private static let shortestHashedList = 9
    private static let maximumHashedLists = 16
    private static let maximumPatterns = 64
}
