// SPDX-License-Identifier: Apache-2.0

import JSON
import Testing

@testable import OutcropCommand

@Suite("outcrop predicate check")
struct PredicateCommandTests {
    @Test("the canonical form is printed with arguments and variables substituted")
    func canonical() {
        let result = outcrop(
            "predicate",
            "check",
            "%K = %@ && x in $LIST && d > $D",
            "--arg",
            "\"a.b\"",
            "--arg",
            "12345678901234567890",
            "--var",
            "LIST=[1, \"two\", null, true, 1.5]",
            "--var",
            "$D=0"
        )
        #expect(
            result.output
                == #"a.b == CAST("12345678901234567890", "NSDecimalNumber") AND x IN {1, "two", nil, YES, 1.5} AND d > 0"#
        )
        #expect(result.errors.isEmpty && result.status == .fine)
    }

    @Test("missing arguments and variables are listed")
    func missing() {
        let result = outcrop("predicate", "check", "a == %@ AND b == $B AND c == $A")
        #expect(
            result.output == """
                a == %@ AND b == $B AND c == $A
                Give a value for each placeholder: --arg JSON
                Give a value for $A, $B: --var NAME=JSON
                """
        )
        #expect(result.status == .fine)
    }

    @Test("an error is shown with a caret under its position, and the exit code is 1")
    func error() {
        let result = outcrop("predicate", "check", "views > 1 AND name BEGINWITH 'o'")
        #expect(
            result.output == """
                error: Expected a comparison operator, but found “BEGINWITH”.
                views > 1 AND name BEGINWITH 'o'
                                   ^
                Did you mean “BEGINSWITH”?
                """
        )
        #expect(result.status == .problems)
    }

    @Test("an error in JSON has its code, offset, expectation and hint")
    func errorAsJSON() {
        let error = outcrop("predicate", "check", "--json", "name BEGINWITH 'o'").json?["error"]
        #expect(error?["code"] == "unexpected")
        #expect(error?["offset"] == 5)
        #expect(error?["expected"] == "a comparison operator")
        #expect(error?["found"] == "“BEGINWITH”")
        #expect(error?["hint"] == "Did you mean “BEGINSWITH”?")
    }

    @Test("key paths and types are checked against a model")
    func model() {
        let result = outcrop(
            "predicate",
            "check",
            "author.nme == 'a'",
            "--model",
            Files.demo,
            "--entity",
            "Post",
            "--json"
        )
        #expect(result.status == .problems)
        #expect(result.json?["canonical"] == "author.nme == \"a\"")
        #expect(result.json?["issues"]?[0]?["severity"] == "error")
        #expect(result.json?["issues"]?[0]?["hint"]?.string?.contains("name") == true)

        let right = outcrop("predicate", "check", "ANY tags.name == 'a'", "--model", Files.demo, "--entity", "Post")
        #expect(right.output == "ANY tags.name == \"a\"" && right.status == .fine)
    }

    @Test(
        "an unknown or repeated variable is refused",
        arguments: [
            (["TGA=1"], "The predicate has no variable “$TGA”.\nDid you mean “$TAG”?"),
            (["LIMIT=1"], "The predicate has no variable “$LIMIT”.\nIt has $AUTHOR and $TAG."),
            (["TAG=1", "TAG=1"], "The variable “$TAG” was given more than one value."),
        ]
    )
    func variables(given: [String], message: String) {
        let options = given.flatMap { ["--var", $0] }
        let result = Program.run(["predicate", "check", "a == $TAG AND b == $AUTHOR"] + options, on: .plain)
        #expect(result.status == .usage && result.errors == "outcrop: " + message)
    }

    @Test(
        "failures are reported on the error output",
        arguments: [
            (["--arg", "text"], ReportStatus.usage, "'\"text\"'"),
            (["--var", "X"], .usage, "NAME=JSON"),
            (["--model", Files.demo], .usage, "--entity"),
            (["--entity", "Post"], .usage, "--model"),
            (["--var", "Y=1"], .usage, "The predicate has no variable “$Y”.\nIt has no variables"),
            (["--model", Files.demo, "--entity", "Pots"], .problems, "Did you mean “Post”?"),
            (["--model", "/nowhere", "--entity", "Post"], .problems, "doesn't exist"),
        ]
    )
    func failures(options: [String], status: ReportStatus, part: String) {
        let result = Program.run(["predicate", "check", "a == 1"] + options, on: .plain)
        #expect(result.status == status)
        #expect(result.output.isEmpty && result.errors.contains(part), "\(result.errors)")
    }
}
