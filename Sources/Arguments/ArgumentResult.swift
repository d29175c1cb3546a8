// SPDX-License-Identifier: Apache-2.0
// How often a parameter is given follows from its type: a value once, an optional at most once, an array any number of
// times.

/// What a parameter yields: an `ArgumentValue`, an optional one, or an array of them. Types of one's own conform to
/// `ArgumentValue` alone.
public protocol ArgumentResult: Sendable {
    associatedtype Single: ArgumentValue

    static var repeats: Bool { get }

    /// The result for these values, or `nil` if it can't be made of so few.
    static func collect(_ values: [Single]) -> Self?

    var singles: [Single] { get }
}

extension ArgumentValue {
    public static var repeats: Bool { false }
    public static func collect(_ values: [Self]) -> Self? { values.last }
    public var singles: [Self] { [self] }
}

extension Optional: ArgumentResult where Wrapped: ArgumentValue {
    public static var repeats: Bool { false }
    public static func collect(_ values: [Wrapped]) -> Wrapped?? { .some(values.last) }
    public var singles: [Wrapped] { map { [$0] } ?? [] }
}

extension Array: ArgumentResult where Element: ArgumentValue {
    public static var repeats: Bool { true }
    public static func collect(_ values: [Element]) -> [Element]? { values }
    public var singles: [Element] { self }
}

extension ArgumentResult {
    static func minimum(atLeast minimum: Int, default standard: Self?) -> Int {
        if standard != nil { 0 } else if collect([]) == nil { 1 } else { minimum }
    }

    static func read(_ words: [String], default standard: Self?) throws(InvalidArgument) -> Self {
        if words.isEmpty, let standard { return standard }
        var values: [Single] = []
        for word in words {
            do throws(InvalidArgument) {
                values.append(try Single(argument: word))
            } catch {
                var error = error
                error.word = word
                throw error
            }
        }
        guard let result = collect(values) else { throw InvalidArgument("expected a value") }
        return result
    }
}
