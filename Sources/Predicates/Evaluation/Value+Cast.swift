// SPDX-License-Identifier: Apache-2.0

// CAST: conversions between types of values.

internal import FoundationEssentials
import SourceText

extension Value {
    /// Converts the value as `CAST` does; null if that isn't possible.
    ///
    ///     Value.integer(0).cast(to: .date)         // 2001-01-01T00:00:00Z
    ///     Value.string("12.5").cast(to: .number)   // 12.5
    public func cast(to type: CastType) -> Value {
        let result: Value? =
            switch type {
            case .number: number
            case .decimal: decimal
            case .string: string.map(Value.string)
            case .date: date.map(Value.date)
            case .data: data.map(Value.data)
            case .uuid: uuid.map(Value.uuid)
            case .uri: text.map(Value.uri)
            case .dictionary: if case .dictionary = self { self } else { nil }
            case .reference: objectReference.map(Value.reference)
            }
        return result ?? .null
    }

    private var number: Value? {
        switch self {
        case .integer, .double, .decimal: self
        case .bool(let bool): .integer(bool ? 1 : 0)
        case .string(let text): Int64(text).map(Value.integer) ?? Self.finite(text).map(Value.double)
        case .date(let date): .double(date.timeIntervalSinceReferenceDate)
        default: nil
        }
    }

    private var decimal: Value? {
        switch self {
        case .decimal: self
        case .string(let text): Self.decimal(text).map(Value.decimal)
        default: number.flatMap(Number.init)?.decimal.map(Value.decimal)
        }
    }

    private var string: String? {
        switch self {
        case .string(let text), .uri(let text): text
        case .bool(let bool): bool ? "1" : "0"
        case .integer(let integer): String(integer)
        // Integral doubles are written without a fraction.
        case .double(let double): Int64(exactly: double).map { String($0) } ?? "\(double)"
        case .decimal(let decimal): decimal.description
        case .date(let date): date.formatted(date.isWhole ? .iso8601 : Self.fractionalSeconds)
        case .data(let data): data.base64EncodedString()
        case .uuid(let uuid): uuid.uuidString
        case .reference(let reference): reference.uri
        case .null, .array, .dictionary: nil
        }
    }

    private var date: Date? {
        switch self {
        case .date(let date):
            return date
        case .string(let text):
            if let seconds = Self.finite(text) { return Date(timeIntervalSinceReferenceDate: seconds) }
            return Date(iso8601: text)
        default:
            guard let seconds = Number(self)?.double, seconds.isFinite else { return nil }
            return Date(timeIntervalSinceReferenceDate: seconds)
        }
    }

    private var data: Data? {
        switch self {
        case .data(let data): data
        case .string(let text): Data(base64Encoded: text)
        default: nil
        }
    }

    private var uuid: UUID? {
        switch self {
        case .uuid(let uuid): uuid
        case .string(let text): UUID(uuidString: text)
        default: nil
        }
    }

    private var objectReference: ObjectReference? {
        if case .reference(let reference) = self { return reference }
        return text.map(ObjectReference.init(uri:))
    }

    private static func finite(_ text: String) -> Double? {
        Double(text).flatMap { $0.isFinite ? $0 : nil }
    }

    /// `Decimal` alone would parse `12 apples` as 12 and `0x1F` as 0.
    private static func decimal(_ text: String) -> Decimal? {
        guard finite(text) != nil, !text.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "x") }) else { return nil }
        return Decimal(string: text)
    }

    private static let fractionalSeconds = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}

extension Date {
    fileprivate var isWhole: Bool {
        timeIntervalSinceReferenceDate == timeIntervalSinceReferenceDate.rounded()
    }
}
