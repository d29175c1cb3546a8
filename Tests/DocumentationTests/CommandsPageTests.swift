// SPDX-License-Identifier: Apache-2.0

// docs/commands.md, compared with the commands that the program declares.

import Arguments
import ObjectModel
import SQLiteStore
import Testing

@testable import OutcropCommand

@Suite("docs/commands.md")
struct CommandsPageTests {
    private static let nodes = Program.command.nodes
    private let page: Page

    init() throws {
        page = try Page("docs/commands.md")
    }

    @Test("docs/commands.md has a section for each command, and for nothing else")
    func commands() {
        #expect(page.sections.map(\.heading).filter { $0.hasPrefix("outcrop") } == Self.nodes.map(\.description))
    }

    @Test("a command's section lists exactly the command's arguments and options", arguments: nodes.map(\.description))
    func parameters(command: String) throws {
        let node = try #require(Self.nodes.first { $0.description == command })
        let section = try #require(page.section(command))
        let declared = node.path.count == 1 ? node.own + node.inherited : node.own
        let listed = section.rows.map { $0[0].codeSpans }.filter { !$0.isEmpty }
        #expect(listed == declared.map(\.spellings))
        for declaration in declared {
            let words = declaration.choices + [declaration.placeholder].compactMap(\.self)
            let code = section.rows.filter { $0[0].codeSpans == declaration.spellings }.flatMap {
                $0.joined().codeSpans
            }
            for word in words {
                #expect(
                    code.contains { $0.split(separator: " ").contains { $0 == word } },
                    "\(word) of \(declaration.name)"
                )
            }
        }
    }

    @Test("a command's section explains the exit codes that the command declares")
    func exitCodes() throws {
        for node in Self.nodes {
            let rows = try #require(page.section(node.description)).rows.filter { Int32($0[0]) != nil }
            #expect(rows == node.exitCodes.map { ["\($0.code)", $0.meaning] }, "\(node)")
        }
    }

    @Test("docs/commands.md shows an example of each command that isn't a group")
    func examples() {
        let lines = page.blocks(in: "console").flatMap(Console.commands).map(\.line)
        for node in Self.nodes where node.commands.isEmpty {
            #expect(lines.contains { $0.hasPrefix("\(node) ") }, "\(node)")
        }
    }

    @Test("docs/commands.md names every aspect in which models differ")
    func aspects() throws {
        let code = try #require(page.section("outcrop model diff")).code
        for aspect in ModelAspect.allCases { #expect(code.contains(aspect.rawValue), "\(aspect)") }
    }

    @Test("docs/commands.md describes every finding of a store check")
    func findings() throws {
        let rows = try #require(page.section("What a check of a store finds")).rows
        #expect(rows.flatMap { $0[0].codeSpans } == StoreFinding.Code.allCases.map(\.rawValue))
    }

    @Test("docs/commands.md shows what the program prints")
    func console() throws {
        try Console.expectOutputs(of: page)
    }
}

extension Declaration {
    /// How it is typed: `-o` and `--output OUT`, or `PATH`.
    fileprivate var spellings: [String] {
        let value = kind == .option ? placeholder.map { " " + $0 } : nil
        return [short.map { "-\($0)" }, spelling + (value ?? "")].compactMap(\.self)
    }
}
