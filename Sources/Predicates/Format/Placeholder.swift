// SPDX-License-Identifier: Apache-2.0

/// A place in a format that requires an argument.
struct Placeholder: Hashable {
    enum Kind: Hashable {
        case value(FormatArgument.Kind)
        /// `%K`
        case key
    }

    let index: Int
    let kind: Kind
    /// The position in the format, or nil if the predicate wasn't parsed from one.
    let offset: Int?

    /// Checks that each placeholder has a suitable argument, and each argument a placeholder.
    static func check(_ placeholders: [Placeholder], against arguments: [Value]) throws(FormatError) {
        for placeholder in placeholders {
            guard placeholder.index < arguments.count else {
                throw FormatError(
                    .argument,
                    at: placeholder.offset,
                    message: "Placeholder \(placeholder.index + 1) has no argument: "
                        + "\(arguments.count) of \(Set(placeholders.map(\.index)).count) were passed."
                )
            }
            try placeholder.check(arguments[placeholder.index])
        }
        let deepest = FormatLimits.standard.maximumDepth
        if let deep = arguments.firstIndex(where: { $0.isNested(deeperThan: deepest) }) {
            let message = "Argument \(deep + 1) is nested deeper than \(deepest) levels."
            throw FormatError(.limit, at: placeholders.first { $0.index == deep }?.offset, message: message)
        }
        let used = Set(placeholders.map(\.index))
        if let unused = arguments.indices.first(where: { !used.contains($0) }) {
            throw FormatError(
                .argument,
                at: nil,
                message: "Argument \(unused + 1) has no placeholder: the format has \(used.count).",
                hint: "Placeholders in quotes aren't substituted; write %@ without quotes."
            )
        }
    }

    private func check(_ argument: Value) throws(FormatError) {
        let needed: String
        switch (kind, argument) {
        case (.value(.any), _), (.value(.integer), .integer), (.value(.integer), .bool), (.value(.float), .double),
            (.value(.float), .integer), (.value(.float), .decimal), (.value(.string), .string):
            return
        case (.value(.character), .string(let text)) where text.count == 1: return
        case (.key, .string(let path)) where !Key.path(path).contains(.name("")): return
        case (.value(.integer), _): needed = "%d takes an integer"
        case (.value(.float), _): needed = "%f takes a number"
        case (.value(.string), _): needed = "%s takes a string"
        case (.value(.character), _): needed = "%c takes a string of one character"
        case (.key, _): needed = "%K takes a key path"
        }
        throw FormatError(
            .argument,
            at: offset,
            message: "\(needed), but argument \(index + 1) is \(ObjectExpression.constant(argument))."
        )
    }
}

extension Value {
    fileprivate func isNested(deeperThan levels: Int) -> Bool {
        switch self {
        case .array(let members): levels == 0 || members.contains { $0.isNested(deeperThan: levels - 1) }
        case .dictionary(let members): levels == 0 || members.values.contains { $0.isNested(deeperThan: levels - 1) }
        default: false
        }
    }
}

extension FormatParser {
    enum PlaceholderUse {
        case value(FormatArgument)
        case key(Int)
    }

    /// Records a placeholder at the current token.
    mutating func recordPlaceholder(_ use: PlaceholderUse) {
        let placeholder =
            switch use {
            case .value(let argument):
                Placeholder(index: argument.index, kind: .value(argument.kind), offset: token.start)
            case .key(let index): Placeholder(index: index, kind: .key, offset: token.start)
            }
        placeholders.append(placeholder)
    }
}
