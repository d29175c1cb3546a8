// SPDX-License-Identifier: Apache-2.0
// The fish script, run by fish itself.

import Arguments
import Testing

@Suite("Completion in fish", .enabled(if: ShellRun.isInstalled(.fish), "fish is not installed"))
struct FishCompletionTests {
    @Test(
        "fish offers the possible completions",
        arguments: [
            ("tool ", ["copy", "draw", "help", "model"]),
            ("tool --json model -v ", ["check", "convert", "show"]),
            ("tool help model c", ["check", "convert"]),
            ("tool help model check ", []),
            ("tool model convert a.json --t", ["--to"]),
            ("tool model convert --to ", ["json", "xcdatamodel", "xcdatamodeld"]),
            ("tool model convert --to=x", ["--to=xcdatamodel", "--to=xcdatamodeld"]),
            ("tool model check ", ["Shop.xcdatamodeld/", "a.json", "cost$1.json", "my file.json", "sub/"]),
            ("tool model check a.json --json sub/", ["sub/c.json", "sub/deep/"]),
            ("tool model convert -vo sub/c", ["sub/c.json"]),
            ("tool model convert --output=sub/c", ["--output=sub/c.json"]),
            ("tool draw -d -3 --directory ", ["Shop.xcdatamodeld/", "sub/"]),
            ("tool draw --theme ", ["$(touch pwned)", "$HOME's", "a:b", "high contrast"]),
            ("tool model show a.json ", []),
        ]
    )
    func offers(line: String, offered: [String]) throws {
        #expect(try reply(to: line).map { $0.prefix { $0 != "\t" } }.map(String.init).sorted() == offered)
    }

    @Test("fish shows summaries unchanged")
    func descriptions() throws {
        #expect(try reply(to: "tool model sh") == ["show\tShow a model's [entities]."])
        #expect(try reply(to: "tool draw --them") == ["--theme\t\(Sample.theme.declaration.summary)"])
    }

    private func reply(to line: String) throws -> [String] {
        let asking = "source ../_tool; complete -C $argv[1]"
        let reply = try ShellRun.inFolder(of: .fish) { run in
            try run.run(["fish", "--no-config", "-c", asking, "--", line])
        }
        return reply.split(separator: "\n").map(String.init)
    }
}
