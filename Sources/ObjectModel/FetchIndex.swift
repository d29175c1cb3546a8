// SPDX-License-Identifier: Apache-2.0

/// An index of a store over properties or expressions.
public struct FetchIndex: Hashable, Sendable {
    public var name: String
    public var elements: [Element]
    /// The condition that a row must meet to be indexed, in the format language.
    public var partialPredicate: String?
    public var extras: Extras

    public init(name: String, elements: [Element], partialPredicate: String? = nil, extras: Extras = Extras()) {
        self.name = name
        self.elements = elements
        self.partialPredicate = partialPredicate
        self.extras = extras
    }

    public struct Element: Hashable, Sendable {
        public enum Subject: Hashable, Sendable {
            case property(String)
            /// An expression in the format language, with its type if one was given.
            case expression(String, type: AttributeType?)
        }

        public enum Kind: String, CaseIterable, Hashable, Sendable {
            case binary = "Binary"
            case rTree = "RTree"
        }

        public var subject: Subject
        public var kind: Kind
        public var isAscending: Bool
        public var extras: Extras

        public init(_ subject: Subject, kind: Kind = .binary, isAscending: Bool = true, extras: Extras = Extras()) {
            self.subject = subject
            self.kind = kind
            self.isAscending = isAscending
            self.extras = extras
        }
    }
}
