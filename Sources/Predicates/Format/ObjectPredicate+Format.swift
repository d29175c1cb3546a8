// SPDX-License-Identifier: Apache-2.0

// Predicates and expressions from format strings.

extension ObjectPredicate {
    /// The predicate of a format string and its arguments.
    ///
    ///     try ObjectPredicate("%K > %d AND author.name BEGINSWITH[cd] %@", "views", 100, "o'b")
    public init(_ format: String, _ arguments: any ValueConvertible...) throws(FormatError) {
        try self.init(format, arguments: arguments.map(\.value))
    }

    /// The predicate of a format string and its arguments.
    public init(
        _ format: String,
        arguments: [Value],
        limits: FormatLimits = .standard
    ) throws(FormatError) {
        var parser = try Parser(format, limits: limits)
        let predicate = try parser.wholePredicate()
        try Placeholder.check(parser.placeholders, against: arguments)
        self = arguments.isEmpty ? predicate : predicate.replacing(arguments: arguments)
    }

    /// The predicate of a format string, its placeholders left to `substituting(arguments:)`.
    public init(template format: String, limits: FormatLimits = .standard) throws(FormatError) {
        var parser = try Parser(format, limits: limits)
        self = try parser.wholePredicate()
    }
}

extension ObjectExpression {
    /// The expression of a format string and its arguments.
    ///
    ///     try ObjectExpression("posts.@count * %d", 2)
    public init(_ format: String, _ arguments: any ValueConvertible...) throws(FormatError) {
        try self.init(format, arguments: arguments.map(\.value))
    }

    /// The expression of a format string and its arguments.
    public init(
        _ format: String,
        arguments: [Value],
        limits: FormatLimits = .standard
    ) throws(FormatError) {
        var parser = try Parser(format, limits: limits)
        let expression = try parser.wholeExpression()
        try Placeholder.check(parser.placeholders, against: arguments)
        self = arguments.isEmpty ? expression : expression.replacing(arguments: arguments)
    }

    /// The expression of a format string, its placeholders left to `substituting(arguments:)`.
    public init(template format: String, limits: FormatLimits = .standard) throws(FormatError) {
        var parser = try Parser(format, limits: limits)
        self = try parser.wholeExpression()
    }
}
