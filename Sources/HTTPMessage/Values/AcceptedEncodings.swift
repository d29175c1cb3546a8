// SPDX-License-Identifier: Apache-2.0

// The content codings, such as gzip, that a client accepts.

public struct AcceptedEncodings: Hashable, Sendable {
    private struct WeightedCoding: Hashable, Sendable {
        let coding: String
        let quality: Int
    }

    private let codings: [WeightedCoding]

    /// The codings of the Accept-Encoding field. Without the field no coding is accepted.
    public init(_ fields: HeaderFields) {
        codings =
            FieldScanner.members(of: fields.values(of: .acceptEncoding)) { scanner -> WeightedCoding? in
                guard let coding = scanner.name(), let parameters = scanner.parameters() else { return nil }
                let quality = parameters.first { $0.name == "q" }.map { Quality.parse($0.value ?? "") } ?? Quality.most
                return quality.map { WeightedCoding(coding: coding, quality: $0) }
            }.members
    }

    /// Whether the client accepts a coding, given in lower case.
    public func accepts(_ coding: String) -> Bool {
        let match = codings.first { $0.coding == coding } ?? codings.first { $0.coding == "*" }
        return match.map { $0.quality > 0 } ?? false
    }
}
