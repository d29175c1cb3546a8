// SPDX-License-Identifier: Apache-2.0

// Errors of invalid format strings: the position, the expected and the found text, and the remedy.

import Predicates
import Testing

@Suite("Errors in format strings")
struct FormatErrorTests {
    struct Case: CustomTestStringConvertible {
        let format: String
        let code: FormatError.Code
        let offset: Int?
        let message: String
        var hint: String?

        var testDescription: String { format }
    }

    @Test(
        "each error gives its position, the expected and the found text, and the remedy",
        arguments: [
            Case(format: "", code: .unexpected, offset: 0, message: "Expected an expression, but found the end."),
            Case(
                format: "name ==",
                code: .unexpected,
                offset: 7,
                message: "Expected an expression, but found the end."
            ),
            Case(
                format: "name BEGINWITH 'a'",
                code: .unexpected,
                offset: 5,
                message: "Expected a comparison operator, but found “BEGINWITH”.",
                hint: "Did you mean “BEGINSWITH”?"
            ),
            Case(
                format: "name IS NULL",
                code: .unexpected,
                offset: 5,
                message: "Expected a comparison operator, but found “IS”.",
                hint: "Compare nil with == nil or != nil."
            ),
            Case(
                format: "isDone",
                code: .unexpected,
                offset: 6,
                message: "Expected a comparison operator, but found the end.",
                hint: "To test a Boolean, compare it: isDone == YES."
            ),
            Case(
                format: "isDone AND a == 1",
                code: .unexpected,
                offset: 7,
                message: "Expected a comparison operator, but found “AND”.",
                hint: "To test a Boolean, compare it: isDone == YES."
            ),
            Case(
                format: "a == 1 b == 2",
                code: .unexpected,
                offset: 7,
                message: "Expected an operator or the end, but found “b”."
            ),
            Case(
                format: "a == 1 XOR b == 2",
                code: .unexpected,
                offset: 7,
                message: "Expected an operator or the end, but found “XOR”.",
                hint: "Did you mean “OR”?"
            ),
            Case(
                format: "1 < a < 3",
                code: .unexpected,
                offset: 6,
                message: "Expected AND, OR or the end, but found “<”.",
                hint: "Comparisons can't be chained; join two of them with AND."
            ),
            Case(
                format: "a == in",
                code: .unexpected,
                offset: 5,
                message: "Expected an expression, but found “in”.",
                hint: "Write a property of that name as #in."
            ),
            Case(
                format: "(a == 1) + 2 == 3",
                code: .unexpected,
                offset: 0,
                message: "Expected an expression, but found a predicate.",
                hint: "Use TERNARY(predicate, YES, NO) as a value."
            ),
            Case(
                format: "name == ‘o’",
                code: .unexpected,
                offset: 8,
                message: "The character ‘ has no meaning here.",
                hint: "Write text in ' or \" quotes; write “#” before a reserved word that is a name."
            ),
            Case(
                format: "a == " + String(repeating: "9", count: 400),
                code: .malformed,
                offset: 5,
                message: "The number “\(String(repeating: "9", count: 39))…” is too large."
            ),
            Case(
                format: "distanceToLocation:fromLocation:(a, b) < 1",
                code: .unsupported,
                offset: 0,
                message: "distanceToLocation:fromLocation: isn't supported, because locations aren't values."
            ),
            Case(
                format: "a.@unionOfArrays.b == 1",
                code: .unsupported,
                offset: 2,
                message: "The collection operator @unionOfArrays is not supported.",
                hint: "A key path through collections flattens them; @distinctUnionOfObjects drops duplicates."
            ),
            Case(
                format: "a == 1 AN b == 2",
                code: .unexpected,
                offset: 7,
                message: "Expected an operator or the end, but found “AN”.",
                hint: "Did you mean “AND”?"
            ),
            Case(
                format: "a == CAST('2024-02-30', 'NSDate')",
                code: .malformed,
                offset: 10,
                message: "The literal isn't a valid date.",
                hint: "Write a date as seconds since 2001-01-01T00:00:00Z or as \"2026-11-21T09:30:00Z\"."
            ),
            Case(format: "(a == 1", code: .unexpected, offset: 7, message: "Expected “)”, but found the end."),
            Case(
                format: "a == 1)",
                code: .unexpected,
                offset: 6,
                message: "Expected an operator or the end, but found “)”."
            ),
            Case(
                format: "a == 'b",
                code: .malformed,
                offset: 5,
                message: "The string that begins here has no closing '."
            ),
            Case(
                format: "a == '\\ud800'",
                code: .malformed,
                offset: 6,
                message: "The escape is one half of a surrogate pair."
            ),
            Case(format: "a == '\\xZ'", code: .malformed, offset: 6, message: "The escape needs 2 hexadecimal digits."),
            Case(
                format: "a == 12abc",
                code: .malformed,
                offset: 5,
                message: "A number is followed directly by a name.",
                hint: "Names begin with a letter; text is in quotes."
            ),
            Case(
                format: "a == 0xZZ",
                code: .malformed,
                offset: 5,
                message: "“0xZZ” isn't a 64-bit number in base 16."
            ),
            Case(format: "a == 1e999", code: .malformed, offset: 5, message: "The number 1e999 is too large."),
            Case(
                format: "uper:(a) == 'x'",
                code: .unknown,
                offset: 0,
                message: "There is no function “uper:”."
            ),
            Case(
                format: "upercase(a) == 'x'",
                code: .unknown,
                offset: 0,
                message: "There is no function “upercase”.",
                hint: "Did you mean “uppercase:”?"
            ),
            Case(
                format: "modulus:by:(a) == 1",
                code: .operandCount,
                offset: 0,
                message: "modulus:by: takes two operands, but has 1."
            ),
            Case(
                format: "now(1) == a",
                code: .operandCount,
                offset: 0,
                message: "now takes no operands, but has 1."
            ),
            Case(
                format: "a.@coutn > 1",
                code: .unknown,
                offset: 2,
                message: "There is no collection operator “@coutn”.",
                hint: "Did you mean “@count”?"
            ),
            Case(
                format: "FUNCTION(a, 'lowercaseString') == 'x'",
                code: .unsupported,
                offset: 0,
                message: "FUNCTION isn't supported, because it would call arbitrary methods.",
                hint: "Call the built-in functions by name: length:(title)."
            ),
            Case(
                format: "x IN FETCH(a, b, NO)",
                code: .unsupported,
                offset: 5,
                message: "FETCH isn't supported, because a predicate can't fetch.",
                hint: "Use SUBQUERY(relationship, $x, …) for related objects."
            ),
            Case(
                format: "a UTI-EQUALS 'public.text'",
                code: .unsupported,
                offset: 2,
                message:
                    "The operators UTI-CONFORMS-TO and UTI-EQUALS are not supported: type identifiers are Apple's own."
            ),
            Case(
                format: "self isKindOfClass: %@",
                code: .unsupported,
                offset: 5,
                message: "isKindOfClass: isn't supported; predicates have entities, not classes.",
                hint: "Compare the entity's name: entity == \"Post\"."
            ),
            Case(
                format: "ANYKEY == 1",
                code: .unsupported,
                offset: 0,
                message: "ANYKEY is not supported.",
                hint: "Name the property."
            ),
            Case(
                format: "a := 1",
                code: .unexpected,
                offset: 2,
                message: "Expected a comparison operator, but found “:=”.",
                hint: "To test a Boolean, compare it: a == YES."
            ),
            Case(
                format: "a ==[x] 'b'",
                code: .unexpected,
                offset: 5,
                message: "Expected the letters c, d, n or l, but found “x”.",
                hint: "Options are [c] for case, [d] for diacritics, [n] for normalized and [l] for the locale's order."
            ),
            Case(
                format: "a IN {1, 2",
                code: .unexpected,
                offset: 10,
                message: "Expected “,”, but found the end.",
                hint: "Write lists as {1, 2, 3}."
            ),
            Case(
                format: "SELF.%@ == 1",
                code: .unexpected,
                offset: 5,
                message: "Expected a property's name, but found “%@”.",
                hint: "%K takes the name of a property."
            ),
            Case(
                format: "SUBQUERY(a, x, 1 == 1).@count > 0",
                code: .unexpected,
                offset: 12,
                message: "Expected a variable, but found “x”.",
                hint: "SUBQUERY(collection, $x, $x.name == 'a')"
            ),
            Case(
                format: "CAST('x', 'NSUUID') == a",
                code: .malformed,
                offset: 5,
                message: "The literal isn't a valid UUID."
            ),
            Case(format: "a == $", code: .malformed, offset: 5, message: "Expected a variable's name after “$”."),
            Case(
                format: "a == %q",
                code: .malformed,
                offset: 5,
                message: "There is no placeholder “%q”.",
                hint: "%@ takes any value, %K a key path, %d an integer, %f a number; %% is the modulus operator."
            ),
            Case(
                format: "`a` == 1",
                code: .unexpected,
                offset: 0,
                message: "The character “`” has no meaning here.",
                hint: "Write text in ' or \" quotes; write “#” before a reserved word that is a name."
            ),
            Case(
                format: "EXISTS tags",
                code: .unexpected,
                offset: 7,
                message: "Expected a comparison operator, but found “tags”.",
                hint: "To test whether there are members, count them: tags.@count > 0."
            ),
            Case(
                format: "NOT EXISTS (tags)",
                code: .unknown,
                offset: 4,
                message: "There is no function “EXISTS”.",
                hint: "To test whether there are members, count them: tags.@count > 0."
            ),
            Case(
                format: "a IN ('Dune', 'Emma')",
                code: .unexpected,
                offset: 12,
                message: "Expected “)”, but found “,”.",
                hint: "Write lists as {1, 2, 3}."
            ),
            Case(
                format: "a IN ['Dune']",
                code: .unexpected,
                offset: 6,
                message: "Expected the letters c, d, n or l, but found “'Dune'”.",
                hint: "Write lists as {1, 2, 3}."
            ),
            Case(
                format: "a == ?",
                code: .unexpected,
                offset: 5,
                message: "The character “?” has no meaning here.",
                hint: "A placeholder is %@; a choice is TERNARY(predicate, a, b)."
            ),
            Case(
                format: "a > 3 ORDER BY b",
                code: .unexpected,
                offset: 6,
                message: "Expected an operator or the end, but found “ORDER”.",
                hint: "A predicate has no order: sort with sort descriptors, or with the parameter “sort”."
            ),
            Case(
                format: "a > 3 LIMIT 5",
                code: .unexpected,
                offset: 6,
                message: "Expected an operator or the end, but found “LIMIT”.",
                hint: "A predicate has no limit: use the fetch limit, or the parameter “limit”."
            ),
            Case(
                format: "a ILIKE 'b*'",
                code: .unexpected,
                offset: 2,
                message: "Expected a comparison operator, but found “ILIKE”.",
                hint: "LIKE[c] ignores case. Its wildcards are * and ?."
            ),
            Case(
                format: "(a == 'O''Brien')",
                code: .unexpected,
                offset: 9,
                message: "Expected “)”, but found “'Brien'”.",
                hint: #"Write a quote within text as \' or \"."#
            ),
            Case(
                format: "a == 'O' 'Brien'",
                code: .unexpected,
                offset: 9,
                message: "Expected an operator or the end, but found “'Brien'”."
            ),
            Case(
                format: "count(*) > 1",
                code: .unexpected,
                offset: 6,
                message: "Expected an expression, but found “*”.",
                hint: "The number of related objects is tags.@count."
            ),
            Case(
                format: "a NOT == 1",
                code: .unexpected,
                offset: 2,
                message: "Expected an operator, but found “NOT”.",
                hint: "Write NOT before the whole comparison, or before an operator such as IN or LIKE."
            ),
        ]
    )
    func errors(_ example: Case) {
        let error = #expect(throws: FormatError.self) { try ObjectPredicate(template: example.format) }
        #expect(error?.code == example.code)
        #expect(error?.offset == example.offset)
        #expect(error?.message == example.message)
        #expect(error?.hint == example.hint)
    }

    struct Arguments: CustomTestStringConvertible {
        let format: String
        let arguments: [Value]
        let offset: Int?
        let message: String

        var testDescription: String { format }
    }

    @Test(
        "the arguments must match the placeholders in number and type",
        arguments: [
            Arguments(
                format: "a == %@",
                arguments: [],
                offset: 5,
                message: "Placeholder 1 has no argument: 0 of 1 were passed."
            ),
            Arguments(
                format: "a == %@ AND b == %@",
                arguments: [1],
                offset: 17,
                message: "Placeholder 2 has no argument: 1 of 2 were passed."
            ),
            Arguments(
                format: "a == %d",
                arguments: ["x"],
                offset: 5,
                message: "%d takes an integer, but argument 1 is \"x\"."
            ),
            Arguments(
                format: "a == %f",
                arguments: [true],
                offset: 5,
                message: "%f takes a number, but argument 1 is YES."
            ),
            Arguments(
                format: "%K == 1",
                arguments: [1],
                offset: 0,
                message: "%K takes a key path, but argument 1 is 1."
            ),
            Arguments(
                format: "%K == 1",
                arguments: ["a..b"],
                offset: 0,
                message: "%K takes a key path, but argument 1 is \"a..b\"."
            ),
            Arguments(
                format: "a == %c",
                arguments: ["ab"],
                offset: 5,
                message: "%c takes a string of one character, but argument 1 is \"ab\"."
            ),
            Arguments(
                format: "a == '%@'",
                arguments: ["x"],
                offset: nil,
                message: "Argument 1 has no placeholder: the format has 0."
            ),
        ]
    )
    func arguments(_ example: Arguments) {
        let error = #expect(throws: FormatError.self) {
            try ObjectPredicate(example.format, arguments: example.arguments)
        }
        #expect(error?.code == .argument)
        #expect(error?.offset == example.offset)
        #expect(error?.message == example.message)
    }

    @Test("the excerpt shows a caret under the position, in the right line and within the width")
    func excerpt() throws {
        let format = "a == 1 AND\n\tname BEGINWITH 'x'"
        let error = try #require(throws: FormatError.self) { try ObjectPredicate(format) }
        #expect(error.excerpt(of: format) == " name BEGINWITH 'x'\n      ^")

        let long = String(repeating: "a == 1 AND ", count: 40) + "é = = 2" + String(repeating: " AND b == 2", count: 40)
        let other = try #require(throws: FormatError.self) { try ObjectPredicate(long) }
        let lines = try #require(other.excerpt(of: long, width: 60)).split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 60 })
        #expect(Array(lines[0])[lines[1].count - 1] == "=")
    }
}
