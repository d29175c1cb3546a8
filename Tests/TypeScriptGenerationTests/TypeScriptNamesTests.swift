// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectModel
import TestSupport
import Testing

@testable import TypeScriptGeneration

@Suite("Names in TypeScript")
struct TypeScriptNamesTests {
    /// The code without comments and texts.
    private static func code(_ sections: [String]) -> String {
        sections.joined(separator: "\n")
            .replacing(/\/\*\*[\s\S]*?\*\//, with: "")
            .replacing(/(?m)\/\/ .*$/, with: "")
            .replacing(/"(?:[^"\\\n]|\\.)*"/, with: "\"\"")
            .replacing(/`[^`]*`/, with: "``")
    }

    @Test("types and properties whose names are taken get underscores, and the renamings are reported")
    func renamings() {
        let renamings = TypeScriptGeneration(Hostile.model, name: "My Model").renamings
        #expect(
            renamings.map { "\($0.owner): \($0.name)\($0.isMember ? " (property)" : "")" } == [
                "EntityMap: EntityMap_", "Error: Error_", "Object: Object_", "Promise: Promise_",
                "ResultPage: ResultPage_", "string: string_", "Record: Record_", "Promise: __proto___ (property)",
                "constructor: constructor_ (property)", "drafts: drafts_ (property)", "then: then_ (property)",
            ]
        )
        let plain = Model { Entity("Event") { Attribute("name", .string) } }
        #expect(TypeScriptGeneration(plain, name: "My Model").renamings.isEmpty)
    }

    @Test("names of properties and paths are quoted where they aren't identifiers")
    func quoting() {
        let text = TypeScriptGeneration(Hostile.model, name: "My Model").text
        for line in [
            "  \"größe\": DecimalText;", "  \"x²\"?: number | NumberIncrement;", "  __id: number | null;",
            "  class: boolean;", "  \"#and\"?: TextFilter;", "  \"#not\"?: ToOneFilter<\"Promise\">;",
            "  /** Matches a*\\/b [\"`]. */",
            "  Promise: { path: \"__proto__\", relationships: { function: \"Error\", await: [\"Error\"] } },",
            "  [\"__proto__\"]: { path: \"__proto__Entity\" },",
            "export type EntityMap_Reference = `a%60%24%7Bb%7D%22%27%5Cc/${string}`;",
            "  readonly \"a`${b}\\\"'\\\\c\": EntityCollection<\"EntityMap\"> = collectionOf(this.route, \"EntityMap\");",
            "export class My_ModelClient extends ObjectClient<My_ModelDraft> {",
        ] {
            #expect(text.contains("\n\(line)\n"), "\(line)")
        }
        #expect("a\"\\\u{8}\u{2028}é".quoted == #""a\"\\\u0008\u2028é""#)
        #expect("a */ b\nc".asComment == "a *\\/ b c")
    }

    @Test("names that the code uses of the platform are reserved")
    func platform() {
        let parameters: Set<String> = [
            "Answer", "Child", "Draft", "Elements", "Inverse", "Operators", "Options", "Rest", "Shape",
        ]
        let known = TypeScriptNames.reserved.union(Runtime.declaredNames).union(parameters)
        let code = Self.code(Runtime.sections + [Runtime.namedQueries, Runtime.accounts])
        var used: Set<String> = []
        // Names of types, and of values that are constructed, begin with a capital letter.
        for name in code.matches(of: /(?:[^.\w$]|^)([A-Z]\w+)\b(?!\??:)/) { used.insert(String(name.1)) }
        #expect(used.contains("Promise") && used.contains("EntityCollection"))
        #expect(used.subtracting(known).sorted() == [])
    }

    @Test("members of clients and drafts are reserved")
    func members() throws {
        var members: Set<String> = []
        for name in ["ObjectDraft", "ObjectClient"] {
            let start = try #require(Runtime.drafts.range(of: "export abstract class \(name)<"))
            let rest = Runtime.drafts[start.lowerBound...]
            let block = rest[..<(try #require(rest.range(of: "\n}"))).lowerBound]
            let pattern = /\n  (?:readonly |protected |private |async )*\*?(\w+)[:(<]/
            for member in block.matches(of: pattern) { members.insert(String(member.1)) }
        }
        #expect(members.isSuperset(of: ["drafts", "history", "transaction", "undo", "save", "merges", "step", "id"]))
        #expect(members.subtracting(TypeScriptNames.reservedMembers).sorted() == [])
    }

    @Test("lines of the code that is the same for each model fit a window")
    func width() {
        let lines = (Runtime.sections + [Runtime.namedQueries, Runtime.accounts]).flatMap { $0.split(separator: "\n") }
        #expect(lines.filter { $0.count > 116 } == [])
    }
}
