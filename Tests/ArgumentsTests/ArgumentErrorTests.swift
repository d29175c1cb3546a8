// SPDX-License-Identifier: Apache-2.0
// The messages about wrong command lines.

import Arguments
import TestSupport
import Testing

@Suite("Command line errors")
struct ArgumentErrorTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let line: String
        let code: ArgumentError.Code
        let text: String

        var testDescription: String { line }
    }

    static let cases = [
        Case(
            line: "",
            code: .missingCommand,
            text: "“tool” needs a command: model, draw, copy or help.\nSee “tool --help”."
        ),
        Case(
            line: "model chekc",
            code: .unknownCommand,
            text: "“tool model” has no command “chekc”. Did you mean “check”?\nSee “tool model --help”."
        ),
        Case(
            line: "model zzz",
            code: .unknownCommand,
            text:
                "“tool model” has no command “zzz”. Its commands are check, show and convert.\nSee “tool model --help”."
        ),
        Case(
            line: "check",
            code: .unknownCommand,
            text: "“tool” has no command “check”. Did you mean “model check”?\nSee “tool --help”."
        ),
        Case(
            line: "help model chekc",
            code: .unknownCommand,
            text: "“tool model” has no command “chekc”. Did you mean “check”?\nSee “tool model --help”."
        ),
        Case(
            line: "help draw now",
            code: .unexpectedArgument,
            text: "Unexpected argument “now”: “tool draw” takes no arguments.\nSee “tool draw --help”."
        ),
        Case(
            line: "draw --jsno",
            code: .unknownOption,
            text: "“tool draw” has no option “--jsno”. Did you mean “--json”?\nSee “tool draw --help”."
        ),
        Case(
            line: "draw --levels 3",
            code: .unknownOption,
            text: "“tool draw” has no option “--levels”. Did you mean “--depth”?\nSee “tool draw --help”."
        ),
        Case(
            line: "draw --verb",
            code: .unknownOption,
            text: "“tool draw” has no option “--verb”. Did you mean “--verbose”?\nSee “tool draw --help”."
        ),
        Case(
            line: "model check -vx",
            code: .unknownOption,
            text: """
                “tool model check” has no option “-x”. Put “--” before an argument that begins with “-”.
                See “tool model check --help”.
                """
        ),
        Case(
            line: "draw --depth",
            code: .missingValue,
            text: "The option “--depth” needs a value: --depth DEPTH.\nSee “tool draw --help”."
        ),
        Case(
            line: "model convert -o --json",
            code: .missingValue,
            text: """
                The option “--output” needs a value: --output OUT. If “--json” is the value, join them with “=”: \
                --output=VALUE.
                See “tool model convert --help”.
                """
        ),
        Case(
            line: "draw --json=yes",
            code: .unexpectedValue,
            text: "The option “--json” takes no value, but got “yes”.\nSee “tool draw --help”."
        ),
        Case(
            line: "draw -v=yes",
            code: .unexpectedValue,
            text: "The option “--verbose” takes no value, but got “yes”.\nSee “tool draw --help”."
        ),
        Case(
            line: "draw --depth deep",
            code: .invalidValue,
            text:
                "“deep” isn't a valid value for the option “--depth”: expected an integer.\nSee “tool draw --help”."
        ),
        Case(
            line: "draw --var a=1 --var b",
            code: .invalidValue,
            text: "“b” isn't a valid value for the option “--var”: expected NAME=VALUE.\nSee “tool draw --help”."
        ),
        Case(
            line: "model convert a -o b --scale nan",
            code: .invalidValue,
            text:
                "“nan” isn't a valid value for the option “--scale”: expected a number.\nSee “tool model convert --help”."
        ),
        Case(
            line: "model convert a -o b --to jsn",
            code: .unknownChoice,
            text: """
                “jsn” isn't a valid value for the option “--to”: expected json, xcdatamodel or xcdatamodeld. \
                Did you mean “json”?
                See “tool model convert --help”.
                """
        ),
        Case(
            line: "model check",
            code: .missingArgument,
            text: "“tool model check” needs the argument PATH.\nSee “tool model check --help”."
        ),
        Case(
            line: "copy a",
            code: .missingArgument,
            text: "“tool copy” needs the argument TARGET.\nSee “tool copy --help”."
        ),
        Case(
            line: "model convert a",
            code: .missingOption,
            text: "“tool model convert” needs the option “--output OUT”.\nSee “tool model convert --help”."
        ),
        Case(
            line: "model show a b c",
            code: .unexpectedArgument,
            text: """
                Unexpected argument “c”: “tool model show” takes IN and ENTITY only.
                See “tool model show --help”.
                """
        ),
        Case(
            line: "model convert a -o b --output c",
            code: .repeatedOption,
            text: "The option “--output” was given more than once.\nSee “tool model convert --help”."
        ),
        Case(
            line: "model --version",
            code: .unknownOption,
            text: "“tool model” has no option “--version”.\nSee “tool model --help”."
        ),
    ]

    @Test("a wrong command line is explained, with a pointer to the help", arguments: cases)
    func explained(_ expected: Case) {
        let words = expected.line.split(separator: " ").map(String.init)
        let error = #expect(throws: ArgumentError.self) { try Sample.root.parse(words) }
        #expect(error?.code == expected.code)
        #expect(error?.description == expected.text)
    }

    @Test("control characters in an unknown word are escaped, and a long word is shortened")
    func hostileWords() {
        let escape = #expect(throws: ArgumentError.self) { try Sample.root.parse(["\u{1B}[2J\u{202E}x"]) }
        #expect(escape?.message.contains("“\\u{1b}[2J\\u{202e}x”") == true)
        let long = #expect(throws: ArgumentError.self) {
            try Sample.root.parse([String(repeating: "a", count: 1_000_000)])
        }
        #expect(long?.message.contains("“\(String(repeating: "a", count: 80))…”") == true)
        #expect((long?.message.count ?? .max) < 300)
    }

    @Test("random words are parsed or refused with a message, without a crash", arguments: SeededGenerator.seeds(1))
    func randomWords(seed: UInt64) {
        let pieces = [
            "model", "draw", "convert", "check", "copy", "help", "--", "-", "-v", "-vo", "-o", "-d", "--json",
            "--output",
            "--output=", "--to=json", "--depth", "-5", "=", "", "--=", "-=", "--\u{301}", "-\u{301}", "a", "é", "\u{0}",
            "--version", "-h", "---", "--var=a=b", "👩‍👩‍👧", "-👩‍👩‍👧", "\r\n", "--j", "$(x)",
        ]
        var random = SeededGenerator(seed: seed)
        for _ in 0..<3_000 {
            let words = (0..<Int.random(in: 0...7, using: &random)).map { _ in
                (0..<Int.random(in: 1...2, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
                    .joined()
            }
            do throws(ArgumentError) {
                switch try Sample.root.parse(words) {
                case .run(let action, let parsed): #expect(parsed.path.last == action, "seed \(seed): \(words)")
                case .print(let text): #expect(!text.isEmpty, "seed \(seed): \(words)")
                }
            } catch {
                #expect(error.message.hasSuffix("."), "seed \(seed): \(words)")
                #expect(error.description.hasSuffix(" --help”."), "seed \(seed): \(words)")
                #expect(error.path.first == "tool", "seed \(seed): \(words)")
            }
        }
    }
}
