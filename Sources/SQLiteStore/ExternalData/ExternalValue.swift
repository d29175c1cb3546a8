// SPDX-License-Identifier: Apache-2.0

// The stored form of a value that may be in a file of its own.

import FoundationEssentials

/// The name of a value's file: a random UUID.
struct ExternalFileName: Hashable, Sendable {
    let text: String

    init() {
        text = UUID().uuidString
    }

    /// Nil unless the text is a UUID, so that no path points out of the folder.
    init?(_ text: String) {
        guard UUID(uuidString: text) != nil else { return nil }
        self.text = text
    }

    /// Whether the name is in upper case, as all names written here are; another file may belong to another program.
    var isCapital: Bool { text == text.uppercased() }

    /// The content of the column: the mark, the name and a zero byte.
    var stored: [UInt8] { [ExternalDataMark.file] + Array(text.utf8) + [0] }

    /// The length of `stored`.
    static let storedLength = 38
}

/// A column's bytes, decoded.
enum ExternalValue {
    case inline(ArraySlice<UInt8>)
    case file(ExternalFileName)

    /// Nil for invalid bytes.
    init?(stored bytes: [UInt8]) {
        switch bytes.first {
        case ExternalDataMark.inline: self = .inline(bytes.dropFirst())
        case ExternalDataMark.file:
            guard bytes.count == ExternalFileName.storedLength, bytes.last == 0,
                let name = ExternalFileName(String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self))
            else { return nil }
            self = .file(name)
        default: return nil
        }
    }
}
