// SPDX-License-Identifier: Apache-2.0

// The media types that a client accepts, with their preference.

/// The ranges of the Accept field. Malformed ones are ignored; if none remain, every type is accepted.
public struct AcceptedMediaTypes: Hashable, Sendable {
    private struct WeightedRange: Hashable, Sendable {
        let range: MediaType
        let quality: Int

        /// The most specific matching range determines the quality.
        var specificity: Int { range.subtype != "*" ? 2 + range.parameters.count : range.type != "*" ? 1 : 0 }
    }

    /// Ordered by specificity; empty if every type is accepted.
    private let ranges: [WeightedRange]

    public init(_ fields: HeaderFields) {
        let values = fields.values(of: .accept)
        ranges =
            values.isEmpty || values == ["*/*"]
            ? []
            : FieldScanner.members(of: values, Self.weightedRange).members.sorted { $0.specificity > $1.specificity }
    }

    /// The offered type that the client prefers, the first of equals; nil if it accepts none of them.
    public func bestMatch(among offered: [MediaType]) -> MediaType? {
        guard !ranges.isEmpty else { return offered.first }
        var best: (type: MediaType, quality: Int)?
        for type in offered {
            let quality = quality(of: type)
            if quality > best?.quality ?? 0 { best = (type, quality) }
        }
        return best?.type
    }

    /// The quality of a type, in thousandths.
    func quality(of type: MediaType) -> Int {
        ranges.isEmpty ? Quality.most : ranges.first { type.matches($0.range) }?.quality ?? 0
    }

    private static func weightedRange(_ scanner: inout FieldScanner) -> WeightedRange? {
        guard let type = MediaType(from: &scanner) else { return nil }
        // Parameters after q are not part of the type.
        let end = type.parameters.firstIndex { $0.name == "q" } ?? type.parameters.endIndex
        guard let quality = type["q"].map(Quality.parse) ?? Quality.most else { return nil }
        return WeightedRange(
            range: MediaType(type.type, type.subtype, parameters: Array(type.parameters[..<end])),
            quality: quality
        )
    }
}
