// SPDX-License-Identifier: Apache-2.0

// The byte ranges of the Range field.

public enum ByteRange: Hashable, Sendable {
    /// From an offset, through another one or to the end.
    case from(Int, through: Int?)
    /// The last bytes.
    case last(Int)

    /// The largest number of ranges. More would make a large response to a short request.
    private static let most = 16

    /// The ranges of a Range field; nil if it must be ignored: malformed, with too many ranges, or not in bytes.
    public static func ranges(in value: String) -> [ByteRange]? {
        let bytes = Array(value.utf8)[...].trimmed
        guard let equals = bytes.firstIndex(of: .equals), bytes[..<equals].equalsIgnoringCase("bytes") else {
            return nil
        }
        let parts = bytes[(equals + 1)...].split(separator: .comma, maxSplits: most, omittingEmptySubsequences: false)
        guard parts.count <= most else { return nil }
        var ranges: [ByteRange] = []
        for part in parts {
            guard let range = ByteRange(part.trimmed) else { return nil }
            ranges.append(range)
        }
        return ranges
    }

    private init?(_ text: ArraySlice<UInt8>) {
        guard let dash = text.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let start = Self.number(text[..<dash])
        let end = Self.number(text[(dash + 1)...])
        switch (start, end) {
        case (nil, let end?) where dash == text.startIndex: self = .last(end)
        case (let start?, nil) where dash == text.endIndex - 1: self = .from(start, through: nil)
        case (let start?, let end?) where start <= end: self = .from(start, through: end)
        default: return nil
        }
    }

    /// The range within a content of a length; nil if it is empty.
    public func resolved(length: Int) -> Range<Int>? {
        let range =
            switch self {
            case .from(let start, let end):
                min(start, length)..<max(min(start, length), min(end ?? length, length - 1) + 1)
            case .last(let count): (length - min(count, length))..<length
            }
        return range.isEmpty ? nil : range
    }

    /// The value of Content-Range for a part, or for an unsatisfiable range.
    public static func contentRange(_ range: Range<Int>?, length: Int) -> String {
        range.map { "bytes \($0.lowerBound)-\($0.upperBound - 1)/\(length)" } ?? "bytes */\(length)"
    }

    /// A number, clamped to the largest integer, which exceeds any content.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
        return digits.decimal ?? .max
    }
}
