// SPDX-License-Identifier: Apache-2.0

// Media types of stored bytes, by how they begin.

/// The type of bytes whose attribute has none in the model. Only types that no browser executes as a page are
/// recognised, and only images are shown by browsers; SVG, which may have scripts, is always an attachment in a sandbox.
enum SniffedType {
    /// The number of bytes to look at.
    static let length = 256

    static func of(_ start: [UInt8]) -> String? {
        for (signature, type) in signatures where start.starts(with: signature) { return type }
        let brand = start.dropFirst(8).prefix(4)
        if start.starts(with: Array("RIFF".utf8)), brand.elementsEqual("WEBP".utf8) { return "image/webp" }
        if start.dropFirst(4).starts(with: Array("ftyp".utf8)), brand.elementsEqual("avif".utf8) { return "image/avif" }
        return isSVG(start) ? "image/svg+xml" : nil
    }

    private static let signatures: [([UInt8], String)] = [
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/png"),
        ([0xFF, 0xD8, 0xFF], "image/jpeg"),
        (Array("GIF87a".utf8), "image/gif"),
        (Array("GIF89a".utf8), "image/gif"),
        (Array("%PDF-".utf8), "application/pdf"),
    ]

    /// Whether the first element is `<svg`, after a byte order mark, spaces, a declaration and comments.
    private static func isSVG(_ start: [UInt8]) -> Bool {
        var rest = start[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        while true {
            rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
            if rest.starts(with: "<?xml".utf8) {
                guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
                rest = rest[(end + 1)...]
            } else if rest.starts(with: "<!--".utf8) {
                guard let end = rest.indices.first(where: { rest[$0...].starts(with: "-->".utf8) }) else {
                    return false
                }
                rest = rest[(end + 3)...]
            } else {
                let name = rest.prefix(5)
                return name.starts(with: "<svg".utf8)
                    && (name.last.map { [0x20, 0x09, 0x0A, 0x0D, 0x3E].contains($0) } ?? false)
            }
        }
    }
}
