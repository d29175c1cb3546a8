// SPDX-License-Identifier: Apache-2.0

extension FormatError {
    /// The line of the format with the error, cut to a width, with a caret below it.
    ///
    ///     name BEGINWITH 'a'
    ///          ^
    public func excerpt(of format: String, width: Int = 76) -> String? {
        guard let offset else { return nil }
        let bytes = Array(format.utf8)
        let place = min(max(offset, 0), bytes.count)
        let isBreak: (UInt8) -> Bool = { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        let start = bytes[..<place].lastIndex(where: isBreak).map { $0 + 1 } ?? 0
        let end = bytes[place...].firstIndex(where: isBreak) ?? bytes.count

        let before = Self.shown(bytes[start..<place])
        let after = Self.shown(bytes[place..<end])
        let head = before.count > width * 2 / 3 ? "…" + before.suffix(width * 2 / 3 - 1) : before
        let room = max(width - head.count, 1)
        let tail = after.count > room ? after.prefix(room - 1) + "…" : after[...]
        return head + tail + "\n" + String(repeating: " ", count: head.count) + "^"
    }

    /// The text with control characters replaced by spaces, so that each character has one column.
    private static func shown(_ bytes: ArraySlice<UInt8>) -> String {
        String(
            String(decoding: bytes, as: UTF8.self).map { character in
                character.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F } ? " " : character
            }
        )
    }
}
