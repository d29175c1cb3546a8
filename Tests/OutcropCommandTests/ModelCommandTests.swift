// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import JSON
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("outcrop model")
struct ModelCommandTests {
    @Test("check finds nothing in any version of the demo model")
    func checkDemo() {
        let result = outcrop("model", "check", "--all-versions", "--strict", Files.demo)
        #expect(result.output == "1 model, 0 errors, 0 warnings")
        #expect(result.status == .fine)
    }

    @Test("check reads all models, gives each finding's position, and exits with 1 if there is an error")
    func checkBroken() throws {
        try Checkout.withFolder { folder in
            let broken = folder + "/Broken.json"
            try Files.write(
                #"{"entities": {"A": {"attributes": {"x": "Strng"}, "relationships": {"b": "B"}}}}"#,
                to: broken
            )
            let result = outcrop("model", "check", Files.demo, broken, folder + "/none.json", "--json")
            let issues = result.json?["issues"]?.array ?? []
            #expect(result.status == .problems)
            let x = issues.filter { $0["property"] == "x" }
            #expect(x.count == 1 && x[0]["file"]?.string == broken && x[0]["line"] == 1 && x[0]["column"] == 41)
            #expect(issues.contains { $0["property"] == "b" && $0["severity"] == "error" })
            #expect(issues.contains { $0["code"] == "model.notFound" })
            #expect(result.json?["errors"]?.int64 == Int64(issues.count { $0["severity"] == "error" }))
            let text = outcrop("model", "check", broken)
            #expect(text.output.contains("\(broken):1: A.x: error: "))
        }
    }

    @Test("check reports the number of unchecked versions, and versions that can't be read")
    func otherVersions() throws {
        let result = outcrop("model", "check", Files.demo, Files.demo)
        #expect(result.output == "2 models, 0 errors, 0 warnings, 2 versions not checked")
        #expect(outcrop("model", "check", Files.demo, "--json").json?["versionsNotChecked"] == 1)
        #expect(outcrop("model", "check", Files.demo, "--all-versions", "--json").json?["versionsNotChecked"] == 0)
        try Checkout.withFolder { folder in
            let bundle = folder + "/Demo.xcdatamodeld"
            try FileManager.default.copyItem(atPath: Files.demo, toPath: bundle)
            try Files.write("<bad", to: bundle + "/Demo.xcdatamodel/contents")
            for options in [[], ["--all-versions"]] {
                let result = Program.run(["model", "check", bundle] + options, on: .plain)
                #expect(result.status == .problems && result.output.hasSuffix("1 model, 1 error, 0 warnings"))
            }
            let json = folder + "/M.json"
            try Files.write(#"{"versions": {"A": 3, "B": {"entities": {}}}, "current": "B"}"#, to: json)
            let first = outcrop("model", "check", json, "--json").json?["issues"]?[0]
            #expect(first?["code"] == "model.notAModel" && first?["line"] == 1)
        }
    }

    @Test("warnings are failures only with --strict")
    func strictness() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/OneWay.json"
            try Files.write(#"{"entities": {"A": {"relationships": {"b": "B?"}}, "B": {}}}"#, to: path)
            #expect(outcrop("model", "check", path).status == .fine)
            #expect(outcrop("model", "check", path).output.hasSuffix("1 model, 0 errors, 1 warning"))
            #expect(outcrop("model", "check", "--strict", path).status == .problems)
        }
    }

    @Test("show lists entities with their properties in columns")
    func show() {
        let result = outcrop("model", "show", Files.demo)
        #expect(
            result.output.hasPrefix("Demo 2  7 entities, the current of 2 versions\n\nComment\n  createdAt  Date\n")
        )
        #expect(result.output.contains("\n  tags            → [Tag]         ordered, at most 20, inverse posts\n"))
        #expect(result.output.contains("\n  index published: -views where published == YES\n"))
        #expect(result.output.hasSuffix("configuration Content: Comment, Contact, Group, Post, Tag, User"))
    }

    @Test(
        "the demo model has every kind of derivation and bound",
        arguments: [
            "derived: comments.@count", "derived: posts.views.@sum", "derived: canonical:(title)",
            "derived: lowercase:(name)", "derived: uppercase:(name)", "derived: now()",
            "Date    at least 2026-01-01T00:00:00Z", "at least 1, inverse groups", "at most 20", "1 to 200 characters",
        ]
    )
    func forms(text: String) {
        #expect(outcrop("model", "show", Files.demo).output.contains(text))
    }

    @Test("show of one entity includes inherited properties")
    func showEntity() {
        let result = outcrop("model", "show", Files.demo, "User")
        #expect(result.output.hasPrefix("User : Contact\n  address     Address?\n"))
        #expect(outcrop("model", "show", Files.demo, "User", "--json").json?["parent"] == "Contact")
        #expect(outcrop("model", "show", Files.demo, "Usr").errors.hasSuffix("Did you mean “User”?"))
    }

    @Test(
        "an unknown entity that is a former name or an API path gets a hint with the entity's name",
        arguments: [
            ("Article", "It is named “Post” now."), ("posts", "That is the name of “Post” in paths of the API."),
        ]
    )
    func otherNames(name: String, hint: String) throws {
        #expect(outcrop("model", "show", Files.demo, name).errors.hasSuffix(hint))
        try Checkout.withFolder { folder in
            let store = folder + "/Demo.sqlite"
            #expect(outcrop("demo-data", store, "--model", Files.demo, "--count", "20").status == .fine)
            #expect(outcrop("store", "query", store, name).errors.hasSuffix(hint))
        }
    }

    @Test("the JSON of show is a model that can be read")
    func showAsJSON() throws {
        try Checkout.withFolder { folder in
            let json = outcrop("model", "show", Files.demo, "--json")
            try Files.write(json.output, to: folder + "/Demo.json")
            let diff = outcrop("model", "diff", Files.demo, folder + "/Demo.json")
            #expect(diff.output == "The models are the same.")
        }
    }

    @Test("convert to JSON and back loses nothing in any version")
    func convert() throws {
        try Checkout.withFolder { folder in
            let (json, bundle) = (folder + "/Demo.json", folder + "/Demo.xcdatamodeld")
            #expect(outcrop("model", "convert", Files.demo, "-o", json).status == .fine)
            #expect(outcrop("model", "convert", json, "-o", bundle).status == .fine)
            for file in ["/.xccurrentversion", "/Demo.xcdatamodel/contents", "/Demo 2.xcdatamodel/contents"] {
                let original = try Data(contentsOf: URL(filePath: Files.demo + file))
                #expect(try Data(contentsOf: URL(filePath: bundle + file)) == original, "\(file)")
            }
            let plain = folder + "/model"
            #expect(outcrop("model", "convert", Files.olderDemo, "-o", plain, "--to", "json").status == .fine)
            #expect(outcrop("model", "check", plain).status == .fine)
        }
    }

    @Test("the demo model's JSON is the output of convert")
    func demoAsJSON() throws {
        try Checkout.withFolder { folder in
            _ = outcrop("model", "convert", Files.demo, "-o", folder + "/Demo.json")
            let made = try Data(contentsOf: URL(filePath: folder + "/Demo.json"))
            #expect(try Data(contentsOf: URL(filePath: Files.root + "/Config/Demo.json")) == made)
        }
    }

    @Test("convert doesn't overwrite files that aren't models, and needs to know the format")
    func convertRefuses() throws {
        try Checkout.withFolder { folder in
            let other = folder + "/notes.json"
            try Files.write("{\"notes\": []}", to: other)
            #expect(outcrop("model", "convert", Files.demo, "-o", other).status == .problems)
            #expect(try String(contentsOfFile: other, encoding: .utf8) == "{\"notes\": []}")
            #expect(outcrop("model", "convert", Files.demo, "-o", folder + "/x.txt").errors.contains(".json"))
            #expect(outcrop("model", "convert", Files.demo, "-o", folder + "/x.txt", "--to", "xml").status == .usage)
        }
    }

    @Test("diff lists the changes and whether migration can be inferred")
    func diff() {
        let result = outcrop("model", "diff", Files.olderDemo, Files.demo)
        #expect(result.status == .fine, "\(result.output)")
        #expect(result.output.contains("renamed from Article"))
        #expect(result.output.hasSuffix("Lightweight migration is possible."))
        let json = outcrop("model", "diff", Files.olderDemo, Files.demo, "--json").json
        #expect(json?["canBeInferred"] == true)
        #expect(json?["entities"]?.array?.contains { $0["oldName"] == "Article" } == true)
    }

    @Test("diff exits with 1 if lightweight migration is impossible")
    func diffWithObstacles() throws {
        try Checkout.withFolder { folder in
            try Files.write(#"{"entities": {"A": {"attributes": {"x": "String"}}}}"#, to: folder + "/1.json")
            try Files.write(#"{"entities": {"A": {"attributes": {"x": "Date"}}}}"#, to: folder + "/2.json")
            let result = outcrop("model", "diff", folder + "/1.json", folder + "/2.json")
            #expect(result.status == .problems)
            #expect(result.output.hasSuffix("Lightweight migration isn't possible: 1 obstacle."))
        }
    }

    @Test("the JSON of diff has stable names and the values before and after")
    func diffAsJSON() throws {
        try Checkout.withFolder { folder in
            try Files.write(
                #"{"entities": {"A": {"attributes": {"x": "String?", "y": {"type": "Int16", "max": 3}}}}}"#,
                to: folder + "/1.json"
            )
            try Files.write(
                #"""
                {"versionIdentifiers": ["2"],
                 "entities": {"A": {"attributes": {
                    "z": {"type": "String", "default": "a", "renamedFrom": "x", "userInfo": {"k": "v"}},
                    "y": {"type": "Int16", "min": 1, "default": 2}}}}}
                """#,
                to: folder + "/2.json"
            )
            let json = outcrop("model", "diff", folder + "/1.json", folder + "/2.json", "--json").json
            #expect(json?["changes"] == nil)
            #expect(json?["aspects"] == [["aspect": "versionIdentifiers", "old": [], "new": ["2"]]])
            let properties = json?["entities"]?[0]?["properties"]?.array
            #expect(
                properties == [
                    [
                        "name": "z", "kind": "attribute", "change": "renamed", "oldName": "x",
                        "aspects": [
                            ["aspect": "optional", "old": true, "new": false],
                            ["aspect": "defaultValue", "old": nil, "new": "a"],
                            ["aspect": "userInfo", "old": [:], "new": ["k": "v"]],
                            ["aspect": "renamingIdentifier", "old": nil, "new": "x"],
                        ],
                    ],
                    [
                        "name": "y", "kind": "attribute", "change": "changed",
                        "aspects": [
                            ["aspect": "defaultValue", "old": nil, "new": 2],
                            ["aspect": "validation", "old": ["max": 3], "new": ["min": 1]],
                        ],
                    ],
                ]
            )
        }
    }

    @Test("the picture of the demo model in the documentation is the output of diagram")
    func demoPicture() throws {
        try Checkout.withFolder { folder in
            _ = outcrop("model", "diagram", Files.demo, "-o", folder + "/demo.svg")
            let made = try String(contentsOfFile: folder + "/demo.svg", encoding: .utf8)
            #expect(try Checkout.text(of: "docs/images/demo.svg") == made)
        }
    }

    @Test("diagram draws every entity, with the version as the headline")
    func diagram() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Demo.svg"
            #expect(outcrop("model", "diagram", Files.demo, "-o", path).output == "Wrote \(path): 7 entities.")
            let svg = try String(contentsOfFile: path, encoding: .utf8)
            for name in ["Demo 2", "Comment", "Contact", "Group", "Post", "Tag", "User", "Visit"] {
                #expect(svg.contains(">\(name)<"))
            }
        }
    }
}
