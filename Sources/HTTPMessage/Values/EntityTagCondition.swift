// SPDX-License-Identifier: Apache-2.0

// The conditions of If-Match and If-None-Match.

public enum EntityTagCondition: Hashable, Sendable {
    /// `*`: any existing state.
    case any
    case tags([EntityTag])

    /// The condition of the If-Match field, or nil.
    public static func ifMatch(in fields: HeaderFields) throws(HTTPRefusal) -> EntityTagCondition? {
        try EntityTagCondition(fields, .ifMatch)
    }

    /// The condition of the If-None-Match field, or nil.
    public static func ifNoneMatch(in fields: HeaderFields) throws(HTTPRefusal) -> EntityTagCondition? {
        try EntityTagCondition(fields, .ifNoneMatch)
    }

    private init?(_ fields: HeaderFields, _ name: FieldName) throws(HTTPRefusal) {
        let values = fields.values(of: name)
        guard !values.isEmpty else { return nil }
        if values == ["*"] {
            self = .any
            return
        }
        let (tags, isWellFormed) = FieldScanner.members(of: values) { EntityTag(from: &$0) }
        guard !tags.isEmpty, isWellFormed else {
            throw .malformed("\(name) must be * or tags in quotation marks, such as \"3\".")
        }
        self = .tags(tags)
    }

    /// Whether If-Match is satisfied: the current state, or nil if none exists, is one of those listed.
    public func matchesStrongly(_ current: EntityTag?) -> Bool {
        matches(current) { $0.matchesStrongly($1) }
    }

    /// Whether If-None-Match fails: the current state, or nil if none exists, is equivalent to one of those listed.
    public func matchesWeakly(_ current: EntityTag?) -> Bool {
        matches(current) { $0.matchesWeakly($1) }
    }

    private func matches(_ current: EntityTag?, _ isMatch: (EntityTag, EntityTag) -> Bool) -> Bool {
        guard let current else { return false }
        return switch self {
        case .any: true
        case .tags(let tags): tags.contains { isMatch($0, current) }
        }
    }
}
