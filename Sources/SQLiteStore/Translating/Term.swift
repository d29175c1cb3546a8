// SPDX-License-Identifier: Apache-2.0

// The SQL of expressions, with the properties of their values.

import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver

/// An SQL expression with one value, which may be NULL for nil.
struct Term: Sendable {
    var sql: SQL
    var kind: Kind
    /// The value of a constant.
    var constant: Value?
    var isNullable = true
    /// Whether it is a column, which may have an index.
    var isColumn = false
    /// Whether an index begins with it.
    var isIndexed = false
    /// Whether its numbers are so small that no sum of them overflows.
    var isSmall = false
    /// The column with the same text without case and diacritics.
    var canonical: Canonical?
    /// The object, if this is the name of its entity.
    var named: ObjectTerm?
    /// The scope of the members that this counts.
    var counted: Int?

    struct Canonical: Sendable {
        let sql: SQL
        let isIndexed: Bool
    }

    /// The type of an expression's values, and their form in SQL.
    enum Kind: Character, Hashable, Sendable {
        case null = "-"
        case bool = "b"
        case integer = "i"
        case double = "d"
        /// An integer as INTEGER, or a double as REAL.
        case number = "n"
        /// A decimal as columns store it: an INTEGER, a REAL with these shortest digits, or a BLOB of digits.
        case decimal = "c"
        /// Any number; a BLOB of digits is a decimal.
        case anyNumber = "a"
        case text = "t"
        case uri = "u"
        case date = "s"
        case uuid = "g"
        case data = "x"
        /// A reference as the text of its URI.
        case reference = "r"
        /// Data as stored in a row, possibly in a file: they can be returned, but not evaluated.
        case file = "f"
        /// Only whether it is nil is known.
        case opaque = "o"

        init(_ encoding: ValueEncoding) {
            self =
                switch encoding {
                case .integer: .integer
                case .bool: .bool
                case .double: .double
                case .date: .date
                case .decimal: .decimal
                case .string: .text
                case .uri: .uri
                case .uuid: .uuid
                case .data: .data
                case .reference: .reference
                case .externalData: .file
                case .transformable: .opaque
                }
        }

        var isReadable: Bool { self != .file && self != .opaque }
        var isNumber: Bool { isPlainNumber || isDecimal }
        /// Whether SQLite compares and computes the values exactly.
        var isPlainNumber: Bool { [.bool, .integer, .double, .number].contains(self) }
        var isWhole: Bool { self == .bool || self == .integer }
        var isDecimal: Bool { self == .decimal || self == .anyNumber }
        var isText: Bool { self == .text || self == .uri }

        /// Whether values of both kinds can be equal and ordered.
        func isLike(_ other: Kind) -> Bool {
            self == other || isNumber && other.isNumber || isText && other.isText
        }
    }
}

extension Term {
    /// A constant; nil for lists and dictionaries, which have several values.
    init?(_ value: Value) {
        guard let (kind, bound) = Kind.stored(value) else { return nil }
        self.init(sql: .value(bound), kind: kind, constant: value, isNullable: value == .null)
    }

    static let null = Term(sql: "NULL", kind: .null, constant: .null)

    /// NaN: equal to nothing, not even nil.
    var isNaN: Bool {
        switch constant {
        case .double(let number): number.isNaN
        case .decimal(let number): number.isNaN
        default: false
        }
    }
}

extension Term.Kind {
    /// The kind of a value, and its form in SQL; nil for lists and dictionaries.
    static func stored(_ value: Value) -> (Term.Kind, SQLValue)? {
        switch value {
        case .null: (.null, .null)
        case .bool(let flag): (.bool, .integer(flag ? 1 : 0))
        case .integer(let number): (.integer, .integer(number))
        case .double(let number): (.double, .real(number))
        case .decimal(let number): (.decimal, ValueEncoding.encoded(number))
        case .string(let text): (.text, .text(text))
        case .uri(let text): (.uri, .text(text))
        case .date(let date): (.date, .real(date.timeIntervalSinceReferenceDate))
        case .uuid(let uuid): (.uuid, .blob(uuid.bytes))
        case .data(let data): (.data, .blob([UInt8](data)))
        case .reference(let reference): (.reference, .text(reference.uri))
        case .array, .dictionary: nil
        }
    }

    /// The value that SQL returned, decoded.
    func value(_ stored: SQLValue) -> Value {
        switch (self, stored) {
        case (_, .null), (.null, _), (.file, _), (.opaque, _): .null
        case (.bool, _): ValueEncoding.bool.value(stored)
        case (.integer, _): ValueEncoding.integer.value(stored)
        case (.double, _): ValueEncoding.double.value(stored)
        case (.number, .integer(let number)), (.anyNumber, .integer(let number)): .integer(number)
        case (.number, .real(let number)), (.anyNumber, .real(let number)): .double(number)
        case (.decimal, _), (.anyNumber, _): ValueEncoding.decimal.value(stored)
        case (.text, _): ValueEncoding.string.value(stored)
        case (.uri, _): ValueEncoding.uri.value(stored)
        case (.date, _): ValueEncoding.date.value(stored)
        case (.uuid, _): ValueEncoding.uuid.value(stored)
        case (.data, _): ValueEncoding.data.value(stored)
        case (.reference, _): ValueEncoding.reference.value(stored)
        default: .null
        }
    }
}

/// An object that an expression refers to, or nil.
struct ObjectTerm: Sendable {
    /// Its key; NULL for nil.
    let key: SQL
    /// The number of its entity, if several are possible.
    let number: SQL?
    let entity: EntityDescription
    let isNullable: Bool
    let place: Place

    /// The position of its row.
    enum Place: Hashable, Sendable {
        case row(Int)
        /// The destination of another row's relationship, joined on demand.
        case destination(Int, RelationshipDescription)
        /// An element picked from a scope, joined to another scope on demand.
        case picked(from: Int, to: Int)
    }
}

extension ObjectTerm {
    /// The same object with the properties of a subentity, which another condition tests.
    func asObject(of entity: EntityDescription) -> ObjectTerm {
        ObjectTerm(key: key, number: number, entity: entity, isNullable: isNullable, place: place)
    }
}

/// The result of translating an expression.
enum Node {
    case term(Term)
    case object(ObjectTerm)
    case many(Members)
    case composite(CompositeTerm)
    /// A list of constants.
    case list([Value])
    /// A list of expressions.
    case expressions([ObjectExpression])
}

/// A composite value, with a column for each element.
struct CompositeTerm: Sendable {
    let presence: SQL?
    let elements: [(element: AttributeDescription, columns: AttributeColumns)]
    let row: Int
}

/// Several objects or values, found by a subquery.
struct Members {
    /// The scope of their rows.
    let scope: Int
    /// The scope of the owner's row.
    let owner: Int
    var element: Element
    /// Whether nil and duplicates are omitted.
    var isDistinct = false

    enum Element {
        case object(ObjectTerm)
        case term(Term)
        case composite(CompositeTerm)
    }
}

/// The reason why a part of a predicate is evaluated in memory.
struct Untranslatable: Error, Hashable {
    let reason: String

    init(_ reason: String) { self.reason = reason }

    static let unreadable = Untranslatable("accesses a part of a value that SQL can't read")
}

extension Term {
    /// Throws if SQL only knows whether the value is nil.
    func expectReadable() throws(Untranslatable) {
        if !kind.isReadable { throw .unreadable }
    }
}
