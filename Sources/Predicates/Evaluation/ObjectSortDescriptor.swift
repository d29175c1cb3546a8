// SPDX-License-Identifier: Apache-2.0

/// A sort key: a key path, a direction and text options. Null comes first in ascending order.
///
///     let byDate = try ObjectSortDescriptor(parsing: "-createdAt")
///     let byTitle = ObjectSortDescriptor("title", options: [.caseInsensitive, .diacriticInsensitive])   // title[cd]
public struct ObjectSortDescriptor: Hashable, Sendable {
    public var keyPath: ObjectExpression
    public var ascending: Bool
    public var options: Comparison.Options

    public init(_ keyPath: ObjectExpression, ascending: Bool = true, options: Comparison.Options = []) {
        self.keyPath = keyPath
        self.ascending = ascending
        self.options = options
    }

    /// Creates a descriptor for a dotted key path from the object.
    public init(_ keyPath: String, ascending: Bool = true, options: Comparison.Options = []) {
        self.init(.keyPath(keyPath), ascending: ascending, options: options)
    }
}

/// The reason why a list of sort descriptors couldn't be parsed.
public struct SortDescriptorError: Error, Hashable, Sendable, CustomStringConvertible {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        public static let missingKeyPath = Code(rawValue: "missingKeyPath")
        public static let invalidKey = Code(rawValue: "invalidKey")
        public static let invalidOptions = Code(rawValue: "invalidOptions")
    }

    public let code: Code
    public let message: String
    /// The position in the text, in characters.
    public let position: Int
    public let hint: String

    public var description: String { "\(message) (at \(position)); \(hint)" }
}

extension SortDescriptorError {
    static func missingKeyPath(at position: Int) -> SortDescriptorError {
        SortDescriptorError(
            code: .missingKeyPath,
            message: "A key path is missing",
            position: position,
            hint: "write key paths separated by commas, such as '-createdAt,title'."
        )
    }

    static func invalidKey(_ key: String, at position: Int) -> SortDescriptorError {
        SortDescriptorError(
            code: .invalidKey,
            message: "“\(key)” isn't a valid key path",
            position: position,
            hint: "keys consist of letters, digits and underscores, joined by single dots; “-” comes first."
        )
    }

    static func invalidOptions(_ options: String, at position: Int) -> SortDescriptorError {
        SortDescriptorError(
            code: .invalidOptions,
            message: "“\(options)” aren't valid options",
            position: position,
            hint: "write [c], [d], [cd] or [l] directly after the key path."
        )
    }
}
