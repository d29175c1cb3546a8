// SPDX-License-Identifier: Apache-2.0

extension ObjectPredicate {
    /// Parses a format string and substitutes its arguments.
    ///
    ///     try ObjectPredicate("%K > %d AND author.name BEGINSWITH[cd] %@", "views", 100, "o'b")
    public init(_ format: String, _ arguments: any ValueConvertible...) throws(FormatError) {
        try self.init(format, arguments: arguments.map(\.value))
    }

    /// Parses a format string and substitutes its arguments.
    public init(
        _ format: String,
        arguments: [Value],
        limits: FormatLimits = .standard
    ) throws(FormatError) {
        var parser = try FormatParser(format, limits: limits)
        let predicate = try parser.wholePredicate()
        try Placeholder.check(parser.placeholders, against: arguments)
        self = arguments.isEmpty ? predicate : predicate.replacing(arguments: arguments)
    }

    /// Parses a format string, leaving its placeholders to `substituting(arguments:)`.
    public init(template format: String, limits: FormatLimits = .standard) throws(FormatError) {
        var parser = try FormatParser(format, limits: limits)
        self = try parser.wholePredicate()
    }
}

extension ObjectExpression {
    /// Parses a format string and substitutes its arguments.
    ///
    ///     try ObjectExpression("posts.@count * %d", 2)
    public init(_ format: String, _ arguments: any ValueConvertible...) throws(FormatError) {
        try self.init(format, arguments: arguments.map(\.value))
    }

    /// Parses a format string and substitutes its arguments.
    public init(
        _ format: String,
        arguments: [Value],
        limits: FormatLimits = .standard
    ) throws(FormatError) {
        var parser = try FormatParser(format, limits: limits)
        let expression = try parser.wholeExpression()
        try Placeholder.check(parser.placeholders, against: arguments)
        self = arguments.isEmpty ? expression : expression.replacing(arguments: arguments)
    }

    /// Parses a format string, leaving its placeholders to `substituting(arguments:)`.
    public init(template format: String, limits: FormatLimits = .standard) throws(FormatError) {
        var parser = try FormatParser(format, limits: limits)
        self = try parser.wholeExpression()
    }
}
