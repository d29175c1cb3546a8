// SPDX-License-Identifier: Apache-2.0

// References of new objects, recorded before the objects are saved.

import HTTPMessage
import JSON
import ObjectGraph
import Synchronization
import Testing

@testable import RESTAPI

@Suite("Recorded names")
struct NameRecordingTests {
    private struct Refused: Error {}

    private static let transaction = HTTPRequest(
        .post,
        "/api/transaction",
        fields: [.contentType: "application/json"],
        body: .bytes(
            Array(
                #"""
                {"operations":[{"insert":"Tag","id":"$b","values":{"name":"new b"}},
                 {"insert":"Tag","id":"$a","values":{"name":"new a"}},{"insert":"Tag","values":{"name":"new"}}]}
                """#.utf8
            )
        )
    )

    @Test("the names of new objects are recorded before the save, and equal those in the response")
    func recorded() throws {
        try APIWorld.each { world throws in
            let recorded = Mutex<[[String: String]]>([])
            let response = world.api.respond(to: Self.transaction) { [coordinator = world.coordinator] names in
                let count = try coordinator.read { reader in try reader.count(FetchRequest("Tag")) }
                #expect(count == 3)
                recorded.withLock { $0.append(names) }
            }
            let answer = try Answer(response, statements: nil)
            #expect(answer.status == 200)
            let names = recorded.withLock { $0 }
            let ids = try #require(answer["ids"]?.object?.members)
            #expect(names == [Dictionary(uniqueKeysWithValues: ids.map { ($0.name, $0.value.string ?? "") })])
            let keys = answer["items"]?.array?.compactMap { Int($0["_id"]?.string?.split(separator: "/")[1] ?? "") }
            #expect(keys?.count == 3 && keys == keys?.sorted())
        }
    }

    @Test("objects aren't saved if their names can't be recorded")
    func refused() throws {
        try APIWorld.each { world throws in
            let response = world.api.respond(to: Self.transaction) { _ in throw Refused() }
            #expect(response.status.code == 500)
            #expect(try world.count("Tag") == 3)
        }
    }
}
