// SPDX-License-Identifier: Apache-2.0

/// A problem or remark found while reading or checking a model.
public struct ModelIssue: Error, Hashable, Sendable {
    public enum Severity: Int, CaseIterable, Comparable, Hashable, Sendable {
        /// Information only, such as an unknown element that was preserved.
        case note
        /// The model works, but not as its author will expect.
        case warning
        /// The model can't be used.
        case error

        public static func < (one: Severity, other: Severity) -> Bool { one.rawValue < other.rawValue }
    }

    /// A location in the model; parts that don't apply are nil.
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
    /// The remedy, if one is known.
    public var hint: String?

    /// Creates a finding with the code's severity, or its severity for mild cases.
    public init(_ code: Code, isMild: Bool = false, at place: Place, _ message: String, hint: String? = nil) {
        self.code = code
        severity = isMild ? code.mildSeverity : code.severity
        self.place = place
        self.message = message
        self.hint = hint
    }
}
