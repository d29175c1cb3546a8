// SPDX-License-Identifier: Apache-2.0

// Which media types a client wants, and how much.

/// The ranges of the Accept field. What is malformed in it is passed over; where nothing is left, everything is welcome.
public struct AcceptedMediaTypes: Hashable, Sendable {
    private struct Wish: Hashable, Sendable {
        let range: MediaType
        let quality: Int

        /// The more closely a range says what it means, the more it counts.
        var specificity: Int { range.subtype != "*" ? 2 + range.parameters.count : range.type != "*" ? 1 : 0 }
    }

    /// The closest first; none where everything is welcome.
    private let wishes: [Wish]

    public init(_ fields: HeaderFields) {
        let values = fields.values(of: .accept)
        wishes =
            values.isEmpty || values == ["*/*"]
            ? []
            : FieldScanner.members(of: values, Self.wish).members.sorted { $0.specificity > $1.specificity }
    }

    /// The one of several types that the client wants most, the first of those that it wants as much; nil where it wants none.
    public func bestMatch(among offered: [MediaType]) -> MediaType? {
        guard !wishes.isEmpty else { return offered.first }
        var best: (type: MediaType, quality: Int)?
        for type in offered {
            let quality = quality(of: type)
            if quality > best?.quality ?? 0 { best = (type, quality) }
        }
        return best?.type
    }

    /// How much a type is wanted, in thousandths.
    func quality(of type: MediaType) -> Int {
        wishes.isEmpty ? Quality.most : wishes.first { type.matches($0.range) }?.quality ?? 0
    }

    private static func wish(_ scanner: inout FieldScanner) -> Wish? {
        guard let type = MediaType(from: &scanner) else { return nil }
        // What stands behind q is not about the type.
        let end = type.parameters.firstIndex { $0.name == "q" } ?? type.parameters.endIndex
        guard let quality = type["q"].map(Quality.parse) ?? Quality.most else { return nil }
        return Wish(
            range: MediaType(type.type, type.subtype, parameters: Array(type.parameters[..<end])),
            quality: quality
        )
    }
}
