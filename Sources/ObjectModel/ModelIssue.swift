// SPDX-License-Identifier: Apache-2.0

// What is wrong with a model, and where.

/// A finding about a model: what a reader met, or what the check of the whole model found.
public struct ModelIssue: Error, Hashable, Sendable {
    public enum Severity: Int, CaseIterable, Comparable, Hashable, Sendable {
        /// Worth knowing, nothing to do: something unknown was carried along, for example.
        case note
        /// The model works, but not as its author will expect.
        case warning
        /// The model can't be used.
        case error

        public static func < (one: Severity, other: Severity) -> Bool { one.rawValue < other.rawValue }
    }

    /// Where in the model something is. Parts that don't apply are nil.
    public struct Place: Hashable, Sendable {
        public var file: String?
        public var line: Int?
        public var column: Int?
        public var entity: String?
        public var property: String?

        public init(
            file: String? = nil,
            line: Int? = nil,
            column: Int? = nil,
            entity: String? = nil,
            property: String? = nil
        ) {
            self.file = file
            self.line = line
            self.column = column
            self.entity = entity
            self.property = property
        }
    }

    public var severity: Severity
    public var code: Code
    public var place: Place
    public var message: String
    /// What to do about it, where that can be said.
    public var hint: String?

    /// Makes a finding with a severity that the code allows: the usual one, or that for mild cases where there is one.
    public init(_ code: Code, isMild: Bool = false, at place: Place, _ message: String, hint: String? = nil) {
        self.code = code
        severity = isMild ? code.mildSeverity : code.severity
        self.place = place
        self.message = message
        self.hint = hint
    }
}
