// SPDX-License-Identifier: Apache-2.0

// What expressions become: SQL with what is known of its values.

import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver

/// An SQL expression of one value, which may be NULL for nil.
struct Term: Sendable {
    var sql: SQL
    var kind: Kind
    /// The value itself, of a constant.
    var constant: Value?
    var isNullable = true
    /// Whether it is a column, which an index may be over.
    var isColumn = false
    /// Whether there is an index that begins with it.
    var isIndexed = false
    /// Whether its numbers are so small that no sum of them overflows.
    var isSmall = false
    /// The column that has the same text without case and diacritics.
    var canonical: Canonical?
    /// The object whose entity's name it is.
    var named: ObjectTerm?
    /// The frame of the members whose number it is.
    var counted: Int?

    struct Canonical: Sendable {
        let sql: SQL
        let isIndexed: Bool
    }

    /// What the values of an expression are, and how they stand in SQL.
    enum Kind: Character, Hashable, Sendable {
        case null = "-"
        case bool = "b"
        case integer = "i"
        case double = "d"
        /// An INTEGER is an integer, a REAL a double.
        case number = "n"
        /// A decimal as columns have it: an INTEGER, a REAL whose shortest digits it is, or a BLOB of digits.
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
        /// Data as a row has it, whose bytes may be in a file: it can be shown, and no more.
        case file = "f"
        /// Of which only is known whether it is nil.
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
        /// Whether SQLite compares and computes them exactly.
        var isPlainNumber: Bool { [.bool, .integer, .double, .number].contains(self) }
        var isWhole: Bool { self == .bool || self == .integer }
        var isDecimal: Bool { self == .decimal || self == .anyNumber }
        var isText: Bool { self == .text || self == .uri }

        /// Whether values of both may be equal, and be ordered.
        func isLike(_ other: Kind) -> Bool {
            self == other || isNumber && other.isNumber || isText && other.isText
        }
    }
}

extension Term {
    /// A constant; nil for lists and dictionaries, which are many values.
    init?(_ value: Value) {
        guard let (kind, bound) = Kind.stored(value) else { return nil }
        self.init(sql: .value(bound), kind: kind, constant: value, isNullable: value == .null)
    }

    static let null = Term(sql: "NULL", kind: .null, constant: .null)

    /// Whether it is a number that is none, which equals nothing, nil neither.
    var isNaN: Bool {
        switch constant {
        case .double(let number): number.isNaN
        case .decimal(let number): number.isNaN
        default: false
        }
    }
}

extension Term.Kind {
    /// A value and how it stands in SQL.
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

    /// What SQL has, as the value that it stands for.
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

/// An object that an expression leads to, or nil.
struct ObjectTerm: Sendable {
    /// Its key; NULL for nil.
    let key: SQL
    /// The number of its own entity, where that may be several.
    let number: SQL?
    let entity: EntityDescription
    let isNullable: Bool
    let place: Place

    /// Where its row is.
    enum Place: Hashable, Sendable {
        case row(Int)
        /// Behind a relationship of another row, which is joined when it is needed.
        case behind(Int, RelationshipDescription)
        /// The member of a frame that was picked out, which is joined to a frame when its row is needed.
        case picked(from: Int, to: Int)
    }
}

/// What an expression leads to.
enum Node {
    case term(Term)
    case object(ObjectTerm)
    case many(Members)
    case composite(Composite)
    /// A list of constants.
    case list([Value])
    /// A list of expressions.
    case expressions([ObjectExpression])
}

/// A composite value, of which each element has a column.
struct Composite: Sendable {
    let presence: SQL?
    let elements: [(element: AttributeDescription, columns: AttributeColumns)]
    let row: Int
}

/// Many objects or values, which a statement within the statement finds.
struct Members {
    /// The frame that has their rows.
    let frame: Int
    /// The frame that has the owner's row.
    let owner: Int
    var element: Element
    /// Whether nil is left out, and what is equal is there once.
    var isDistinct = false

    enum Element {
        case object(ObjectTerm)
        case term(Term)
        case composite(Composite)
    }
}

/// Why a part of a predicate is left to memory.
struct Untranslatable: Error, Hashable {
    let reason: String

    init(_ reason: String) { self.reason = reason }

    static let unreadable = Untranslatable("looks into a value that SQL can't read")
}

extension Term {
    /// Throws for a value of which SQL can't say more than whether it is nil.
    func expectReadable() throws(Untranslatable) {
        if !kind.isReadable { throw .unreadable }
    }
}
