// SPDX-License-Identifier: Apache-2.0

// The expressions that predicates compare: constants, key paths, functions and what they are made of.

/// An expression over an object, as a value. Its text parses back to it, see `description`.
///
///     let expression = try ObjectExpression("author.posts.@count + 1")
public indirect enum ObjectExpression: Hashable, Sendable {
    /// `'text'`, `42`, `nil`, `{1, 2}`, `CAST(0, "NSDate")`.
    case constant(Value)
    /// `SELF`
    case evaluatedObject
    /// `$name`: replaced before evaluation, or bound by `SUBQUERY` while it runs.
    case variable(String)
    /// `%@`, `%d` and their like: replaced before evaluation.
    case argument(FormatArgument)
    /// `author.name`, `posts.@count`, `$x.name`. A path from the object itself has `.evaluatedObject` as its root.
    case keyPath(of: ObjectExpression, [Key])
    /// `tags[FIRST]`, `tags[0]`, `tags[SIZE]`.
    case element(of: ObjectExpression, ElementIndex)
    /// `{a, b + 1}`. A list of constants alone is a constant.
    case aggregate([ObjectExpression])
    /// `length:(title)`, `a + b`.
    case function(Function, [ObjectExpression])
    /// `CAST(views, "NSNumber")`
    case cast(ObjectExpression, CastType)
    /// `TERNARY(views > 10, 'hot', 'cold')`
    case ternary(ObjectPredicate, ObjectExpression, ObjectExpression)
    /// `SUBQUERY(comments, $c, $c.isSpam == NO)`
    case subquery(ObjectExpression, variable: String, ObjectPredicate)

    /// The expression of a key path from the evaluated object, its parts separated by dots.
    ///
    /// A part that begins with `@` and names a collection operator is one: `posts.@count`.
    public static func keyPath(_ path: String) -> ObjectExpression {
        .keyPath(of: .evaluatedObject, Key.path(path))
    }
}

/// One step of a key path.
public enum Key: Hashable, Sendable {
    case name(String)
    /// `@count`, `@sum`, …
    case collection(CollectionOperator)
    /// `%K`: the index of the format argument that gives this part of the path.
    case argument(Int)

    /// The steps of a dotted path.
    public static func path(_ path: String) -> [Key] {
        path.split(separator: ".", omittingEmptySubsequences: false).map { part in
            CollectionOperator(rawValue: String(part)).map(Key.collection) ?? .name(String(part))
        }
    }
}

/// An operator over the collection that the key path has reached so far.
///
/// What follows it is taken of each member first: `posts.@sum.views` and `posts.views.@sum` mean the same.
public enum CollectionOperator: String, CaseIterable, Hashable, Sendable {
    case count = "@count"
    case sum = "@sum"
    case minimum = "@min"
    case maximum = "@max"
    case average = "@avg"
    case unionOfObjects = "@unionOfObjects"
    case distinctUnionOfObjects = "@distinctUnionOfObjects"
}

/// Which member of a collection is meant.
public enum ElementIndex: Hashable, Sendable {
    /// `[FIRST]`
    case first
    /// `[LAST]`
    case last
    /// `[SIZE]`: not a member but their number.
    case size
    /// `[0]`, `[index]`, or a dictionary's `['key']`.
    case at(ObjectExpression)
}

/// A placeholder in a format string: which argument it takes, and of what kind that must be.
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

    /// The argument's place, counted from zero.
    public let index: Int
    public let kind: Kind

    public init(index: Int, kind: Kind = .any) {
        self.index = index
        self.kind = kind
    }
}

/// The types that `CAST` converts to, by the names that Core Data gives them.
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
