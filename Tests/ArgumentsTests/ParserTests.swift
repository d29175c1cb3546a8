// SPDX-License-Identifier: Apache-2.0
// The meaning of command lines.

import Arguments
import Testing

@Suite("Command line parsing")
struct ParserTests {
    @Test(
        "an option's value can be written in each of the usual ways",
        arguments: [
            "convert in --output out", "convert in --output=out", "convert in -o out", "convert in -oout",
            "convert in -o=out", "convert -o out in", "convert -oout -- in", "convert -vo out in", "convert -voout in",
        ]
    )
    func optionSpellings(line: String) throws {
        let parsed = try Sample.run("model " + line)
        #expect(parsed.path == ["tool", "model", "convert"])
        #expect(parsed[Sample.input] == "in")
        #expect(parsed[Sample.output] == "out")
        #expect(parsed[Sample.format] == .json)
    }

    @Test(
        "shared options are accepted at any level",
        arguments: ["--json model check a", "model --json check a", "model check --json a", "model check a --json"]
    )
    func sharedOptions(line: String) throws {
        let parsed = try Sample.run(line)
        #expect(parsed[Sample.json])
        #expect(!parsed[Sample.verbose])
        #expect(parsed[Sample.paths] == ["a"])
    }

    @Test("an option that accepts a dash has values that begin with one dash, but not with two")
    func dashedValue() throws {
        let sort = Option<String?>("sort", "In which order.", allowsLeadingDash: true)
        let command = Command("tool", "Sort things.", parameters: [sort], action: "sort")
        guard case .run(_, let parsed) = try command.parse(["--sort", "-date,title"], width: 80) else {
            Issue.record("The command isn't run.")
            return
        }
        #expect(parsed[sort] == "-date,title")
        #expect(throws: ArgumentError.self) { try command.parse(["--sort", "--help"], width: 80) }
    }

    @Test("short flags can be combined, and a repeated flag is no error")
    func flags() throws {
        #expect(try Sample.run("-vv draw -v --verbose")[Sample.verbose])
        #expect(try Sample.run("draw -vd3")[Sample.depth] == 3)
    }

    @Test("after “--” everything is an argument")
    func endOfOptions() throws {
        #expect(try Sample.run("model check -- --json -v -- help")[Sample.paths] == ["--json", "-v", "--", "help"])
        #expect(try Sample.run("-- model check a")[Sample.paths] == ["a"])
    }

    @Test("a single dash and a negative number are arguments or values")
    func dashes() throws {
        #expect(try Sample.run("model check - -5 -.5")[Sample.paths] == ["-", "-5", "-.5"])
        #expect(try Sample.run("draw --depth -3")[Sample.depth] == -3)
        #expect(try Sample.run("draw -d -3")[Sample.depth] == -3)
        #expect(try Sample.run("draw -d-3")[Sample.depth] == -3)
        #expect(try Sample.run("model convert a -o -")[Sample.output] == "-")
    }

    @Test("a value that begins with a dash is accepted when it is joined to its option")
    func dashedValues() throws {
        #expect(try Sample.run("model convert a --output=--json")[Sample.output] == "--json")
        #expect(try Sample.run("model convert a -o-v")[Sample.output] == "-v")
        #expect(try Sample.run(["model", "convert", "a", "--output="])[Sample.output] == "")
        #expect(try Sample.run(["model", "check", ""])[Sample.paths] == [""])
    }

    @Test("a missing parameter yields its default, an empty list or nil, according to its type")
    func absence() throws {
        let draw = try Sample.run("draw")
        #expect(draw[Sample.depth] == nil)
        #expect(draw[Sample.variables] == [])
        let convert = try Sample.run("model convert a -o b")
        #expect(convert[Sample.scale] == 1.5)
        #expect(convert[Sample.grid])
        #expect(try Sample.run("model show a")[Sample.entity] == nil)
        #expect(try Sample.run("model show a Person")[Sample.entity] == "Person")
    }

    @Test("values are converted to their types")
    func types() throws {
        let convert = try Sample.run("model convert a -o b --to xcdatamodeld --scale 1e2 --grid=false")
        #expect(convert[Sample.format] == .xcdatamodeld)
        #expect(convert[Sample.scale] == 100)
        #expect(!convert[Sample.grid])
        let draw = try Sample.run("draw --var a=1 --var=b=2=3")
        #expect(draw[Sample.variables].map(\.argument) == ["a=1", "b=2=3"])
    }

    @Test("a repeating argument leaves the last words to the arguments after it")
    func sharing() throws {
        let copy = try Sample.run("copy a b c d")
        #expect(copy[Sample.files] == ["a", "b", "c"])
        #expect(copy[Sample.target] == "d")
    }

    @Test("a repeated parameter can require a minimum number of values")
    func leastTimes() throws {
        let name = Option<[String]>("name", "A name.", atLeast: 2)
        let command = Command("tool", "Try.", parameters: [name], action: 0)
        guard case .run(_, let parsed) = try command.parse(["--name", "a", "--name=b"]) else { throw Sample.NotRun() }
        #expect(parsed[name] == ["a", "b"])
        let error = #expect(throws: ArgumentError.self) { try command.parse(["--name", "a"]) }
        #expect(error?.code == .missingOption)
        #expect(error?.message == "“tool” needs the option “--name NAME”, at least 2 times.")
    }

    @Test("combining characters stay in their words")
    func combiningCharacters() throws {
        #expect(try Sample.run(["model", "convert", "a", "--output=\u{301}x"])[Sample.output] == "\u{301}x")
        #expect(try Sample.run(["model", "convert", "a", "-o\u{301}x"])[Sample.output] == "\u{301}x")
    }

    @Test("help is available at every level, and the version at the root")
    func helpAndVersion() throws {
        #expect(try printed("--version") == "tool 1.2")
        for line in ["--help", "-h", "help", "-vh", "--json --help"] {
            #expect(try printed(line).hasPrefix("Usage: tool [options] COMMAND\n"))
        }
        for line in ["model check --help", "help model check", "model help check", "model check a -h"] {
            #expect(try printed(line).hasPrefix("Usage: tool model check [options] PATH...\n"), "\(line)")
        }
        #expect(try Sample.run("model check help")[Sample.paths] == ["help"])
    }

    @Test("reading a parameter that the command doesn't declare is a programming error")
    func undeclaredParameter() async {
        await #expect(processExitsWith: .failure) {
            _ = try Sample.run("draw")[Sample.output]
        }
    }

    private func printed(_ line: String) throws -> String {
        guard case .print(let text) = try Sample.root.parse(line.split(separator: " ").map(String.init)) else {
            throw Sample.NotRun()
        }
        return text
    }
}
