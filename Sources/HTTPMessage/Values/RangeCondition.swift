// SPDX-License-Identifier: Apache-2.0

// The If-Range field.

public enum RangeCondition: Hashable, Sendable {
    case tag(EntityTag)
    case date(HTTPDate)

    /// Parses an If-Range field; nil if malformed.
    public init?(_ value: String) {
        if let tag = EntityTag(parsing: value) {
            self = .tag(tag)
        } else if let date = HTTPDate(value) {
            self = .date(date)
        } else {
            return nil
        }
    }

    /// Whether parts may be sent: there is no If-Range field, or it names the current state.
    public static func allowsParts(_ fields: HeaderFields, tag: EntityTag?, lastModified: HTTPDate? = nil) -> Bool {
        guard let value = fields[.ifRange] else { return true }
        return switch RangeCondition(value) {
        case .tag(let wanted): tag.map(wanted.matchesStrongly) ?? false
        case .date(let wanted): wanted == lastModified
        case nil: false
        }
    }
}
