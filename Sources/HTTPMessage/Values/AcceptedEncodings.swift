// SPDX-License-Identifier: Apache-2.0

// Which content codings, such as gzip, a client can take.

public struct AcceptedEncodings: Hashable, Sendable {
    private let qualities: [String: Int]

    /// The codings of the Accept-Encoding field. Without the field there are none: who can take one says so.
    public init(_ fields: HeaderFields) {
        let members = FieldScanner.members(of: fields.values(of: .acceptEncoding)) { scanner -> (String, Int)? in
            guard let coding = scanner.token()?.lowercased(), let parameters = scanner.parameters() else { return nil }
            let quality = parameters.first { $0.name == "q" }
            return (quality.map { Quality.parse($0.value ?? "") } ?? Quality.most).map { (coding, $0) }
        }
        qualities = Dictionary(members.compactMap(\.self)) { first, _ in first }
    }

    /// Whether the client takes a coding, whose name is given in lower case.
    public func accepts(_ coding: String) -> Bool { (qualities[coding] ?? qualities["*"] ?? 0) > 0 }
}
