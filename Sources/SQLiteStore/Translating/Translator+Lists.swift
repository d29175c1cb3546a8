// SPDX-License-Identifier: Apache-2.0

// IN and CONTAINS: membership in lists and collections. Text and data are passed on to Translator+Text. A long list is one JSON parameter, which SQLite reads as a table.

import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver

extension Translator {
    /// Whether a collection or list contains a member, or text or data contain a part.
    mutating func contains(
        _ whole: Node,
        _ part: Node,
        _ options: Comparison.Options
    ) throws(Untranslatable) -> Condition {
        switch whole {
        case .many(let members):
            if case .many = part { throw Untranslatable("compares a collection with one value") }
            if members.isDistinct { require(!isNull(members.element), of: members) }
            let holds = try equal(members.element.node, part, options)
            return exists(members.scope, where: holds, isCorrelated: !part.isConstant)
        case .list(let values): return try contains(values, part, options)
        case .expressions(let expressions):
            var conditions: [Condition] = []
            for expression in expressions { conditions.append(try equal(part, try node(expression), options)) }
            return .any(conditions)
        case .term(let whole):
            switch part {
            case .term(let part): return try text(whole, .contains, part, options)
            case .object, .composite, .list:
                // The value may be a list.
                try whole.expectReadable()
                return .constant(false)
            case .many, .expressions: throw Untranslatable("compares a collection with one value")
            }
        case .object: return .constant(false)
        case .composite: throw Untranslatable("searches for a value in a composite")
        }
    }

    private mutating func contains(
        _ values: [Value],
        _ part: Node,
        _ options: Comparison.Options
    ) throws(Untranslatable) -> Condition {
        let hasNull = values.contains(.null)
        switch part {
        case .object(let object):
            let references = values.compactMap { if case .reference(let reference) = $0 { reference } else { nil } }
            return .any([equal(object, to: references)] + (hasNull ? [isNull(object)] : []))
        case .term(let term):
            if term.constant != nil {
                return .constant(values.contains { $0.isEqual(to: term.constant ?? .null, options) })
            }
            try term.expectReadable()
            let isOne = try isOne(term, of: values, options)
            return .any([isOne] + (hasNull ? [isNull(term)] : []))
        case .many, .composite, .list, .expressions: throw Untranslatable("compares lists or dictionaries")
        }
    }

    private mutating func isOne(
        _ term: Term,
        of values: [Value],
        _ options: Comparison.Options
    ) throws(Untranslatable) -> Condition {
        let folded = term.kind.isText ? folded(term, options) : term
        // SQL's equality differs from that of predicates for these.
        if term.kind == .anyNumber || term.kind == .reference || term.kind.isText && options.contains(.localeSensitive)
        {
            guard values.count <= Self.maximumAlternatives else {
                throw Untranslatable("has a long list of such values")
            }
            var conditions: [Condition] = []
            for case let value? in values.map(Term.init) where value.kind != .null {
                conditions.append(try equal(term, value, options))
            }
            return .any(conditions)
        }
        let stored = values.compactMap { value -> SQLValue? in
            guard let constant = Term(value), constant.kind != .null, !constant.isNaN, constant.kind.isLike(term.kind)
            else { return nil }
            if term.kind.isText { return constant.constant?.folded(options) }
            return constant.stored(against: term)
        }
        guard let list = SQL.list(stored) else { return .constant(false) }
        return Condition("\(folded.sql) IN \(list)", isNullable: folded.isNullable, isSelective: folded.isIndexed)
    }

    private static var maximumAlternatives: Int { 100 }
}

extension Value {
    fileprivate func folded(_ options: Comparison.Options) -> SQLValue? {
        switch self {
        case .string(let text), .uri(let text): .text(Text.folded(text, options.foldingOptions))
        default: nil
        }
    }
}

extension SQL {
    /// The right side of `IN` for values, by the rules of `keys(_:)`; nil for an empty list.
    static func list(_ values: [SQLValue]) -> SQL? {
        guard let last = values.last else { return nil }
        if values.count <= longestList {
            var size = 1
            while size < values.count { size *= 2 }
            let padded = values + Array(repeating: last, count: size - values.count)
            return "(\(padded.map { "\(value: $0)" as SQL }.joined(separator: ", ")))"
        }
        // JSON has no bytes, and SQLite reads its numbers and NUL characters inexactly, so values
        // are encoded as digits.
        let texts = values.map { value -> (kind: Character, text: String) in
            switch value {
            case .integer(let number): ("i", "\(number)")
            case .real(let number): ("d", "\(Int64(bitPattern: number.bitPattern))")
            case .text(let text): ("t", "\"" + text.utf8.hexadecimal + "\"")
            case .blob(let bytes): ("x", "\"" + bytes.hexadecimal + "\"")
            case .null: ("n", "null")
            }
        }
        let kinds = Set(texts.map(\.kind))
        let parts = ["i", "d", "t", "x"].filter { kinds.contains($0) }.map { (kind: Character) -> SQL in
            let list = "[" + texts.filter { $0.kind == kind }.map(\.text).joined(separator: ",") + "]"
            let value: SQL =
                switch kind {
                case "i": "value"
                case "d": "outcrop_double(value)"
                case "t": "outcrop_text(value)"
                default: "outcrop_bytes(value)"
                }
            return "SELECT \(value) FROM json_each(\(value: .text(list)))"
        }
        return "(\(parts.joined(separator: " UNION ALL ")))"
    }

    private static var longestList: Int { 256 }
}

extension Sequence<UInt8> {
    fileprivate var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in self {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
