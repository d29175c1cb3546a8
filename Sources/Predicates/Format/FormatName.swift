// SPDX-License-Identifier: Apache-2.0

/// A name or a placeholder in a format string, with its position for error messages.
///
///     FormatName.list(in: "author.name == %@").map(\.offset)   // [0, 7, 15]
public struct FormatName: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// A step of a key path, or a function written without a colon.
        case step(String)
        /// `%K`: the index of its argument.
        case keyArgument(Int)
        case argument(FormatArgument)
        case variable(String)
        /// A function, as written.
        case function(String)
    }

    public let kind: Kind
    /// Whether it follows the previous one after a dot.
    public let isContinued: Bool
    /// The position in the format in UTF-8 bytes.
    public let offset: Int

    public init(_ kind: Kind, isContinued: Bool = false, at offset: Int) {
        self.kind = kind
        self.isContinued = isContinued
        self.offset = offset
    }

    /// All names in a format, up to the first error.
    public static func list(in format: String) -> [FormatName] {
        var lexer = Lexer(format)
        var names: [FormatName] = []
        var isContinued = false
        while let token = try? lexer.next(), token.kind != .end {
            let kind: Kind? =
                switch token.kind {
                case .name(let name): .step(name)
                case .keyword: .step(lexer.text(from: token.start, to: token.end))
                case .collectionOperator(let aggregate): .step(aggregate.rawValue)
                case .keyArgument(let index): .keyArgument(index)
                case .argument(let argument): .argument(argument)
                case .variable(let name): .variable(name)
                case .selector(let name): .function(name)
                default: nil
                }
            if let kind { names.append(FormatName(kind, isContinued: isContinued, at: token.start)) }
            isContinued = token.kind == .symbol(.dot)
        }
        return names
    }
}
