// SPDX-License-Identifier: Apache-2.0

// Quality values in thousandths; 0 means not acceptable.

enum Quality {
    static let most = 1000

    /// Parses a quality such as `0.25`; nil if malformed.
    static func parse(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard let whole = bytes.first, whole == UInt8(ascii: "0") || whole == UInt8(ascii: "1"), bytes.count <= 5,
            bytes.count == 1 || bytes[1] == UInt8(ascii: ".")
        else { return nil }
        let decimals = bytes.dropFirst(2)
        guard decimals.allSatisfy(\.isDigit) else { return nil }
        let thousandths = (decimals + [UInt8](repeating: UInt8(ascii: "0"), count: 3 - decimals.count)).decimal ?? 0
        let quality = (whole == UInt8(ascii: "1") ? most : 0) + thousandths
        return quality <= most ? quality : nil
    }
}
