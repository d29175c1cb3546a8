// SPDX-License-Identifier: Apache-2.0

// Texts as arguments of tests.

public import Testing

/// A text of any length as a test's argument, shown by its beginning and length.
public struct LongText: Sendable, CustomTestStringConvertible {
    public let text: String

    public init(_ text: String) {
        self.text = text
    }

    public var testDescription: String {
        let shown = 60
        return text.count <= shown ? text.debugDescription : "\(text.prefix(shown).debugDescription)… of \(text.count)"
    }
}
