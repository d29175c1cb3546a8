// SPDX-License-Identifier: Apache-2.0

// How a value that may be kept in a file of its own stands in its column.

import FoundationEssentials

/// The name of a file that has a value: a random UUID.
struct ExternalFileName: Hashable, Sendable {
    let text: String

    init() {
        text = UUID().uuidString
    }

    /// Nil for what is no UUID, so that a name never leads out of the folder.
    init?(_ text: String) {
        guard UUID(uuidString: text) != nil else { return nil }
        self.text = text
    }

    /// Whether it is written as names of files are here; another one may be a file of somebody else's.
    var isCapital: Bool { text == text.uppercased() }

    /// The content of the column: the mark, the name and a zero.
    var stored: [UInt8] { [ExternalDataMark.file] + Array(text.utf8) + [0] }

    /// The length of such a content, which SQLite knows without reading it.
    static let storedLength = 38
}

/// What the bytes in a column say of the value.
enum ExternalValue {
    case inline(ArraySlice<UInt8>)
    case file(ExternalFileName)

    /// Nil for bytes that nobody knows.
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
