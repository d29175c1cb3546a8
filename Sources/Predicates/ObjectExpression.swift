// SPDX-License-Identifier: Apache-2.0

/// An expression over an object, as a value. Its `description` parses back to it.
///
///     let expression = try ObjectExpression("author.posts.@count + 1")
public indirect enum ObjectExpression: Hashable, Sendable {
    /// `'text'`, `42`, `nil`, `{1, 2}`, `CAST(0, "NSDate")`.
    case constant(Value)
    /// `SELF`
    case evaluatedObject
    /// `$name`: substituted before evaluation, or bound by `SUBQUERY` during it.
    case variable(String)
    /// `%@`, `%d` and the like: substituted before evaluation.
    case argument(FormatArgument)
    /// `author.name`, `posts.@count`, `$x.name`. The root of a path from the object itself is `.evaluatedObject`.
    case keyPath(of: ObjectExpression, [Key])
    /// `tags[FIRST]`, `tags[0]`, `tags[SIZE]`.
    case element(of: ObjectExpression, ElementIndex)
    /// `{a, b + 1}`. A list of only constants is a `.constant`.
    case aggregate([ObjectExpression])
    /// `length:(title)`, `a + b`.
    case function(Function, [ObjectExpression])
    /// `CAST(views, "NSNumber")`
    case cast(ObjectExpression, CastType)
    /// `TERNARY(views > 10, 'hot', 'cold')`
    case ternary(ObjectPredicate, ObjectExpression, ObjectExpression)
    /// `SUBQUERY(comments, $c, $c.isSpam == NO)`
    case subquery(ObjectExpression, variable: String, ObjectPredicate)

    /// Creates a key path from the evaluated object, with dots between its parts.
    ///
    /// A part that is the name of a collection operator becomes one: `posts.@count`.
    public static func keyPath(_ path: String) -> ObjectExpression {
        .keyPath(of: .evaluatedObject, Key.path(path))
    }
}

/// A step of a key path.
public enum Key: Hashable, Sendable {
    case name(String)
    /// `@count`, `@sum`, …
    case collection(CollectionOperator)
    /// `%K`: the index of the format argument that supplies this part of the path.
    case argument(Int)

    /// Splits a dotted path into steps.
    public static func path(_ path: String) -> [Key] {
        path.split(separator: ".", omittingEmptySubsequences: false).map { part in
            CollectionOperator(rawValue: String(part)).map(Key.collection) ?? .name(String(part))
        }
    }
}

/// An operator over the collection at the end of the preceding key path.
///
/// Following steps apply to each member first: `posts.@sum.views` is the same as `posts.views.@sum`.
public enum CollectionOperator: String, CaseIterable, Hashable, Sendable {
    case count = "@count"
    case sum = "@sum"
    case minimum = "@min"
    case maximum = "@max"
    case average = "@avg"
    case unionOfObjects = "@unionOfObjects"
    case distinctUnionOfObjects = "@distinctUnionOfObjects"
}

/// The member of a collection that an index selects.
public enum ElementIndex: Hashable, Sendable {
    /// `[FIRST]`
    case first
    /// `[LAST]`
    case last
    /// `[SIZE]`: the number of members.
    case size
    /// `[0]`, `[index]`, or a dictionary's `['key']`.
    case at(ObjectExpression)
}

/// A placeholder in a format string: the index and kind of its argument.
public struct FormatArgument: Hashable, Sendable {
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// `%@`: any value.
        case any = "%@"
        /// `%d`, `%ld`, `%llu`, `%x` and the other integer conversions.
        case integer = "%d"
        /// `%f`, `%lf`, `%g`, `%a` and the other floating-point conversions.
        case float = "%f"
        /// `%s`
        case string = "%s"
        /// `%c`: a string of one character.
        case character = "%c"
    }

    /// The zero-based index of the argument.
    public let index: Int
    public let kind: Kind

    public init(index: Int, kind: Kind = .any) {
        self.index = index
        self.kind = kind
    }
}

/// The types that `CAST` converts to, with Core Data's names for them.
public enum CastType: String, CaseIterable, Hashable, Sendable {
    case number = "NSNumber"
    case decimal = "NSDecimalNumber"
    case string = "NSString"
    case date = "NSDate"
    case data = "NSData"
    case uuid = "NSUUID"
    case uri = "NSURL"
    case dictionary = "NSDictionary"
    case reference = "NSManagedObjectID"
}
