// SPDX-License-Identifier: Apache-2.0

/// The value of a parameter. Its type determines how often the parameter may be given: an `ArgumentValue` once, an
/// optional at most once, an array any number of times. Custom types conform to `ArgumentValue` only.
package protocol ArgumentResult: Sendable {
    associatedtype Single: ArgumentValue

    static var repeats: Bool { get }

    /// The result for these values, or `nil` if there are too few.
    static func collect(_ values: [Single]) -> Self?

    var singles: [Single] { get }
}

extension ArgumentValue {
    package static var repeats: Bool { false }
    package static func collect(_ values: [Self]) -> Self? { values.last }
    package var singles: [Self] { [self] }
}

extension Optional: ArgumentResult where Wrapped: ArgumentValue {
    package static var repeats: Bool { false }
    package static func collect(_ values: [Wrapped]) -> Wrapped?? { .some(values.last) }
    package var singles: [Wrapped] { map { [$0] } ?? [] }
}

extension Array: ArgumentResult where Element: ArgumentValue {
    package static var repeats: Bool { true }
    package static func collect(_ values: [Element]) -> [Element]? { values }
    package var singles: [Element] { self }
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
