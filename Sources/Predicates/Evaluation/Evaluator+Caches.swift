// SPDX-License-Identifier: Apache-2.0

// What an evaluator keeps between objects: compiled patterns, folded constants, hashed lists.

extension Evaluator {
    struct Caches {
        struct Pattern: Hashable {
            let bytes: [UInt8]
            let options: Comparison.Options

            /// Keyed by bytes, since Swift's strings are equal where their code points may differ.
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

    func regularExpression(_ pattern: String, _ options: Comparison.Options) throws -> RegularExpression {
        try cached(\.regularExpressions, Caches.Pattern(pattern, options)) { try RegularExpression(pattern, options) }
    }

    func likePattern(_ pattern: String, _ options: Comparison.Options) -> LikePattern {
        cached(\.likePatterns, Caches.Pattern(pattern, options)) { LikePattern(pattern, options) }
    }

    /// The members of a constant list, hashed, if it is worth it.
    ///
    /// A list is known again by its storage, which the cache keeps alive: equal lists may still differ in code points.
    func hashedMembers(of values: [Value], _ options: Comparison.Options) -> OperandSet? {
        guard values.count >= Self.shortestHashedList, !options.contains(.localeSensitive) else { return nil }
        if let list = caches.lists.first(where: {
            $0.options == options && $0.values.span.isIdentical(to: values.span)
        }) {
            return list.members
        }
        guard caches.lists.count < Self.mostHashedLists else { return nil }
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
        // Patterns may come from the objects themselves, so there is no end to them.
        if caches[keyPath: cache].count >= Self.mostPatterns { caches[keyPath: cache].removeAll() }
        let entry = try make()
        caches[keyPath: cache][key] = entry
        return entry
    }

    private static let shortestHashedList = 9
    private static let mostHashedLists = 16
    private static let mostPatterns = 64
}
