// SPDX-License-Identifier: Apache-2.0

// Equality of values. Unlike Swift's, it compares text by code points, and NaN is equal to itself.

import FoundationEssentials

extension Value: Hashable {
    public static func == (one: Value, other: Value) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.integer(let one), .integer(let other)): one == other
        case (.double(let one), .double(let other)): one == other || one.isNaN && other.isNaN
        case (.decimal(let one), .decimal(let other)): one == other
        case (.string(let one), .string(let other)), (.uri(let one), .uri(let other)): one.isIdentical(toText: other)
        case (.date(let one), .date(let other)): one == other
        case (.data(let one), .data(let other)): one == other
        case (.uuid(let one), .uuid(let other)): one == other
        case (.reference(let one), .reference(let other)): one == other
        case (.array(let one), .array(let other)): one == other
        case (.dictionary(let one), .dictionary(let other)): one == other
        default: false
        }
    }

    /// Texts with different code points can have the same hash.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value.isNaN ? Double.nan : value)
        case .decimal(let value): hasher.combine(value)
        case .string(let value), .uri(let value): hasher.combine(value)
        case .date(let value): hasher.combine(value)
        case .data(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        case .reference(let value): hasher.combine(value)
        case .array(let value): hasher.combine(value)
        case .dictionary(let value): hasher.combine(value)
        }
    }
}

extension String {
    /// Whether both have the same code points, which means the same bytes. Most compared texts share their storage or
    /// differ early.
    fileprivate func isIdentical(toText other: String) -> Bool {
        let bytes = utf8Span.span
        let others = other.utf8Span.span
        guard bytes.count == others.count else { return false }
        if bytes.isIdentical(to: others) { return true }
        for place in bytes.indices where bytes[place] != others[place] { return false }
        return true
    }
}
