// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ObjectModel
import SQLiteDriver
import SQLiteStore
import Testing

@Suite("Store check and repair")
struct StoreCheckTests {
    /// A way to damage a store, and the findings that it causes.
    struct Damage: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let statements: [String]
        let code: StoreFinding.Code
        let place: String
        var severity = ModelIssue.Severity.error
        var isRepaired = false
    }

    @Test("the check of an intact store has no findings")
    func soundness() throws {
        try Society.withStore { path in
            #expect(try SQLiteStore(path: path).check() == [])
            let repair = try SQLiteStore(path: path).repair()
            #expect(repair.repaired.isEmpty && repair.remaining.isEmpty)
        }
    }

    @Test("the check finds exactly the given damage, and the repair fixes repairable findings", arguments: damages)
    func damage(damage: Damage) throws {
        try Society.withStore { path in
            try Society.run(damage.statements, on: path)
            let store = try SQLiteStore(path: path)
            let findings = try store.check()
            let finding = try #require(findings.first)
            #expect(findings.count == 1, "\(findings.map(\.message))")
            #expect(finding.code == damage.code)
            #expect([finding.entity, finding.property].compactMap(\.self).joined(separator: ".") == damage.place)
            #expect(finding.severity == damage.severity)
            #expect(finding.count == 1 || damage.code == .unique)
            #expect((finding.repair != nil) == damage.isRepaired)
            let repair = try store.repair()
            #expect(repair.repaired == (damage.isRepaired ? findings : []))
            #expect(repair.remaining == (damage.isRepaired ? [] : findings))
            #expect(try store.check() == repair.remaining)
        }
    }

    @Test("exhausted keys are reported and can't be repaired")
    func keysExhausted() throws {
        try Society.withStore { path in
            try Society.run(
                [
                    "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT) "
                        + "SELECT 9223372036854775807, Z_ENT, 1 FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'",
                    "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_NAME = 'Tag'",
                ],
                on: path
            )
            let findings = try SQLiteStore(path: path).repair().remaining.filter { $0.code == .keysExhausted }
            #expect(findings.map(\.entity) == ["Tag"])
            #expect(findings.allSatisfy { $0.repair == nil })
        }
    }

    private static let file =
        "x'02" + "0F0E0D0C-0B0A-0908-0706-050403020100".utf8.map { String($0, radix: 16) }.joined() + "00'"

    static let damages = [
        Damage(
            testDescription: "a row of no entity",
            statements: ["UPDATE ZPLACE SET Z_ENT = 99 WHERE ZTITLE = 'There'"],
            code: .entity,
            place: "Place"
        ),
        Damage(
            testDescription: "a row without a version",
            statements: ["UPDATE ZPERSON SET Z_OPT = NULL WHERE ZNAME = 'Cy'"],
            code: .version,
            place: "Person",
            severity: .warning,
            isRepaired: true
        ),
        Damage(
            testDescription: "an entity without keys",
            statements: ["DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'"],
            code: .primaryKey,
            place: "Tag"
        ),
        Damage(
            testDescription: "keys that would be issued again",
            statements: ["UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Person'"],
            code: .keyLimit,
            place: "Person",
            isRepaired: true
        ),
        Damage(
            testDescription: "an exhausted greatest key",
            statements: ["UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_NAME = 'Person'"],
            code: .keysExhausted,
            place: "Person",
            isRepaired: true
        ),
        Damage(
            testDescription: "a greatest key that is a text",
            statements: ["UPDATE Z_PRIMARYKEY SET Z_MAX = 'many' WHERE Z_NAME = 'Person'"],
            code: .keysExhausted,
            place: "Person",
            isRepaired: true
        ),
        Damage(
            testDescription: "no greatest key",
            statements: ["UPDATE Z_PRIMARYKEY SET Z_MAX = NULL WHERE Z_NAME = 'Person'"],
            code: .keysExhausted,
            place: "Person",
            isRepaired: true
        ),
        Damage(
            testDescription: "a greatest key below all keys",
            statements: ["UPDATE Z_PRIMARYKEY SET Z_MAX = -5 WHERE Z_NAME = 'Person'"],
            code: .keysExhausted,
            place: "Person",
            isRepaired: true
        ),
        Damage(
            testDescription: "an optional dangling reference",
            statements: ["UPDATE ZVISIT SET ZVISITOR = 999"],
            code: .dangling,
            place: "Visit.visitor",
            isRepaired: true
        ),
        Damage(
            testDescription: "a required dangling reference",
            statements: ["UPDATE ZVISIT SET ZPLACE = 999"],
            code: .dangling,
            place: "Visit.place"
        ),
        Damage(
            testDescription: "a dangling reference without an inverse",
            statements: ["UPDATE ZPERSON SET ZIDOL = 999 WHERE ZNAME = 'Cy'"],
            code: .dangling,
            place: "Person.idol",
            severity: .note
        ),
        Damage(
            testDescription: "a reference to an object of another entity",
            statements: [
                "UPDATE ZPERSON SET ZBOSS = (SELECT Z_PK FROM ZPERSON WHERE ZNAME = 'Cy') WHERE ZNAME = 'Bob'"
            ],
            code: .dangling,
            place: "Person.boss",
            isRepaired: true
        ),
        Damage(
            testDescription: "a reference that names another entity",
            statements: ["UPDATE ZVISIT SET Z2_VISITOR = 2"],
            code: .reference,
            place: "Visit.visitor",
            isRepaired: true
        ),
        Damage(
            testDescription: "an inverse to a missing row",
            statements: ["UPDATE ZPASSPORT SET ZHOLDER = NULL"],
            code: .inverse,
            place: "Employee.passport",
            isRepaired: true
        ),
        Damage(
            testDescription: "an inverse to another row",
            statements: ["UPDATE ZPERSON SET ZPASSPORT = (SELECT Z_PK FROM ZPASSPORT) WHERE ZNAME = 'Cy'"],
            code: .inverse,
            place: "Person.passport"
        ),
        Damage(
            testDescription: "a pair with a missing row",
            statements: ["INSERT INTO Z_2TAGS (Z_2PEOPLE, Z_5TAGS) VALUES (999, (SELECT Z_PK FROM ZTAG))"],
            code: .pair,
            place: "Person.tags",
            severity: .warning,
            isRepaired: true
        ),
        Damage(
            testDescription: "a pair in one direction only",
            statements: ["DELETE FROM Z_2FRIENDS WHERE rowid = 1"],
            code: .reflexive,
            place: "Person.friends",
            isRepaired: true
        ),
        Damage(
            testDescription: "a required value that is missing",
            statements: ["UPDATE ZPLACE SET ZTITLE = NULL WHERE ZTITLE = 'There'"],
            code: .required,
            place: "Place.title",
            severity: .warning
        ),
        Damage(
            testDescription: "a value of another type",
            statements: ["UPDATE ZVISIT SET ZDATE = 'yesterday'"],
            code: .value,
            place: "Visit.date",
            severity: .warning
        ),
        Damage(
            testDescription: "a required value that is missing in a composite",
            statements: ["UPDATE ZPLACE SET ZSUMMIT_NAME = NULL"],
            code: .required,
            place: "Place.summit.name",
            severity: .warning
        ),
        Damage(
            testDescription: "a value of another type in a composite",
            statements: ["UPDATE ZPLACE SET ZSUMMIT_HEIGHT = 70000 WHERE ZTITLE = 'There'"],
            code: .value,
            place: "Place.summit.height",
            severity: .warning
        ),
        Damage(
            testDescription: "too few members",
            statements: ["DELETE FROM Z_2TAGS"],
            code: .count,
            place: "Tag.people",
            severity: .warning
        ),
        Damage(
            testDescription: "equal values that must be unique",
            statements: ["DROP INDEX Z_Place_UNIQUE_title", "UPDATE ZPLACE SET ZTITLE = 'Here'"],
            code: .unique,
            place: "Place.title"
        ),
        Damage(
            testDescription: "a wrong derived value",
            statements: ["UPDATE ZPERSON SET ZNAMEKEY = 'x' WHERE ZNAME = 'Cy'"],
            code: .derived,
            place: "Person.nameKey",
            severity: .warning,
            isRepaired: true
        ),
        Damage(
            testDescription: "a missing file",
            statements: ["UPDATE ZPERSON SET ZPHOTO = \(file) WHERE ZNAME = 'Cy'"],
            code: .fileMissing,
            place: "Person.photo"
        ),
    ]

    @Test("orphaned files are reported and kept")
    func orphans() throws {
        try Society.withStore { path in
            let folder = URL(filePath: path).deletingLastPathComponent().path + "/.Society_SUPPORT/_EXTERNAL_DATA"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let file = folder + "/0F0E0D0C-0B0A-0908-0706-050403020100"
            // Opening a store removes orphaned files that are older.
            let store = try SQLiteStore(path: path)
            try Data([1]).write(to: URL(filePath: file))
            let findings = try store.check()
            #expect(findings.map(\.code) == [.fileOrphaned])
            #expect(findings.map(\.severity) == [.note])
            #expect(try store.repair().remaining == findings)
            #expect(FileManager.default.fileExists(atPath: file))
        }
    }

    @Test("a damaged file is reported and not repaired")
    func damagedFile() throws {
        try Society.withStore { path in
            let (page, size) = try {
                let connection = try Connection(path: path)
                try connection.checkpoint(.truncate)
                let query: SQL = "SELECT rootpage FROM sqlite_master WHERE name = 'ZPERSON_ZPASSPORT_INDEX'"
                let size = try connection.first("PRAGMA page_size") { Int($0.int64(0)) }
                return (try #require(try connection.first(query) { Int($0.int64(0)) }), try #require(size))
            }()
            var bytes = try Data(contentsOf: URL(filePath: path))
            bytes.replaceSubrange(
                (page - 1) * size..<page * size - size / 2,
                with: repeatElement(0xFF, count: size / 2)
            )
            try bytes.write(to: URL(filePath: path))
            let store = try SQLiteStore(path: path)
            #expect(try store.check().first?.code == .damaged)
            #expect(try store.repair().repaired == [])
            #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
        }
    }

    @Test("a repair also fixes damage that other repairs reveal")
    func followingRepairs() throws {
        try Society.withStore { path in
            try Society.run(
                [
                    "UPDATE ZPERSON SET ZBOSS = 999, ZNAMEKEY = 'x'", "DELETE FROM Z_2FRIENDS WHERE rowid = 1",
                    "INSERT INTO Z_2FRIENDS (REFLEXIVE, Z_2FRIENDS) VALUES (1, 999)",
                    "UPDATE Z_PRIMARYKEY SET Z_MAX = 0",
                ],
                on: path
            )
            let store = try SQLiteStore(path: path)
            #expect(try store.repair().remaining == [])
            #expect(try store.check() == [])
        }
    }
}
