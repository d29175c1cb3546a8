// SPDX-License-Identifier: Apache-2.0

// Writing in the shape of a former version of the model.

import AtomicStores
import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Predicates
import Testing

@testable import RESTAPI

@Suite("Writing in another version of the model")
struct VersionWritingTests {
    @Test("a new object gets the defaults of attributes that the version doesn't have")
    func creation() throws {
        try TwoVersions.each { world in
            let body = #"{"headline": "New", "author": {"name": "Cem"}, "tags": [{"_id": {"name": "core"}}]}"#
            let answer = try world.former(.post, "/api/articles", body)
            #expect(answer.status == 201, "\(answer.text)")
            #expect(answer["headline"] == "New" && answer["_entity"] == "Article" && answer["slug"] == nil)
            let location = try #require(answer.fields[.location])
            #expect(location.hasPrefix("/api/articles/"))
            let served = try world.get(location.replacing("articles", with: "posts") + "?include=topics")
            #expect(served["title"] == "New" && served["slug"] == "-" && served["note"] == "none")
            #expect(served["rating"] == .null && answer["rating"] == 3)
            #expect(served["topics"]?.array?.first?["label"] == "core")
        }
    }

    @Test("PUT keeps what the version doesn't have")
    func replacement() throws {
        try TwoVersions.each { world in
            let key = try world.key("Faults")
            let answer = try world.former(.put, "/api/articles/\(key)", #"{"headline": "Put", "views": 1}"#)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer["headline"] == "Put" && answer["author"] == .null && answer["rating"] == 3)
            let served = try world.get("/api/posts/\(key)?include=reviews")
            #expect(served["title"] == "Put" && served["slug"] == "s0" && served["rating"] == .null)
            #expect(served["reviews"]?.array?.count == 1)
        }
    }

    @Test("null that is shown as a default is still null when an object is written back as it was read")
    func readBack() throws {
        try TwoVersions.each { world throws in
            let key = try world.key("Saving")
            let read = try world.former(.get, "/api/articles/\(key)")
            try #require(read["rating"] == 3)
            let written = read.text.replacing("Saving", with: "Saved")
            #expect(try world.former(.put, "/api/articles/\(key)", written).status == 200)
            let served = try world.get("/api/posts/\(key)")
            #expect(served["title"] == "Saved" && served["rating"] == .null)
            #expect(try world.former(.patch, "/api/articles/\(key)", #"{"rating": 4}"#)["rating"] == 4)
            #expect(try world.former(.patch, "/api/articles/\(key)", #"{"rating": 3}"#)["rating"] == 3)
            #expect(try world.get("/api/posts/\(key)")["rating"] == 3)
            let new = try world.former(.post, "/api/articles", #"{"headline": "New", "rating": 3}"#)
            let reference = try #require(new["_id"]?.string?.split(separator: "/").last)
            #expect(try world.get("/api/posts/\(reference)")["rating"] == 3)
        }
    }

    @Test("PATCH changes properties by the version's names")
    func change() throws {
        try TwoVersions.each { world in
            let key = try world.key("Saving")
            let path = "/api/articles/\(key)"
            let tag = try #require(world.former(.get, path).fields[.etag])
            let body =
                #"{"headline": "Patched", "views": {"$inc": 5}, "rating": {"$inc": 1}, "place": {"city": "Ulm"}}"#
            let answer = try world.former(.patch, path, body, fields: [.ifMatch: tag])
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer["views"] == 15 && answer["rating"] == 4 && answer["place"]?["city"] == "Ulm")
            #expect(try answer.fields[.etag] == world.former(.get, path).fields[.etag])
            let served = try world.get("/api/posts/\(key)")
            #expect(served["title"] == "Patched" && served["slug"] == "s1" && served["rating"] == 4)
            let stale = try world.former(.patch, path, "{}", fields: [.ifMatch: tag])
            #expect(stale.status == 412 && stale["current"]?["headline"] == "Patched")
            #expect(try world.former(.patch, path, #"{"slug": "x"}"#).status == 422)
            #expect(try world.former(.patch, path, #"{"title": "x"}"#).status == 422)
        }
    }

    @Test("null is stored as the default where the served version requires a value")
    func null() throws {
        try TwoVersions.each { world in
            let key = try world.key("Undo")
            #expect(try world.former(.patch, "/api/articles/\(key)", #"{"note": "x"}"#)["note"] == "x")
            #expect(try world.former(.patch, "/api/articles/\(key)", #"{"note": null}"#)["note"] == "none")
            let rows = #"[{"headline": "B", "note": null}]"#
            #expect(try world.former(.post, "/api/articles/batch-insert", rows)["count"] == 1)
            let update = #"{"all": true, "set": {"note": null}}"#
            #expect(try world.former(.post, "/api/articles/batch-update", update)["count"] == 4)
            #expect(try world.get("/api/posts?note=none&result=count")["count"] == 4)
        }
    }

    @Test("problems have the version's names")
    func problems() throws {
        try TwoVersions.each { world in
            let key = try world.key("Faults")
            let long = try world.former(.patch, "/api/articles/\(key)", #"{"headline": ""}"#)
            let error = long["errors"]?.array?.first
            #expect(long.status == 422 && error?["property"] == "headline", "\(long.text)")
            #expect(error?["object"]?.string == "articles/\(key)")
            #expect(error?["message"]?.string?.hasPrefix("headline ") == true)
            let taken = try world.former(.post, "/api/tags", #"{"name": "core"}"#)
            #expect(taken.status == 409 && taken["errors"]?.array?.first?["property"] == "name", "\(taken.text)")
            let wrong = try world.former(.patch, "/api/articles/\(key)", #"{"author": "tags/1"}"#)
            #expect(wrong.status == 422 && !wrong.text.contains("Topic"), "\(wrong.text)")
        }
    }

    @Test("batches have the version's names")
    func batches() throws {
        try TwoVersions.each { world in
            let update =
                #"{"where": "headline == %@", "args": ["Undo"], "set": {"headline": {"expression": "uppercase:(headline)"}, "author": null}}"#
            #expect(try world.former(.post, "/api/articles/batch-update", update)["count"] == 1)
            let served = try world.get("/api/posts?where=title == 'UNDO'")["items"]?.array?.first
            #expect(served?["slug"] == "s2" && served?["writer"] == .null)
            let author = try #require(
                world.former(.get, "/api/authors?sort=name")["items"]?.array?.first?["_id"]?.string
            )
            let rows = "[{\"headline\": \"Row\", \"author\": \"\(author)\", \"_entity\": \"Article\"}]"
            let insert = try world.former(.post, "/api/articles/batch-insert?result=ids", rows)
            #expect(insert["ids"]?.array?.first?.string?.hasPrefix("articles/") == true, "\(insert.text)")
            #expect(try world.headlines("/api/articles?where=headline == 'Row' AND author.name == 'Ann'") == ["Row"])
            let delete = #"{"where": "headline == 'Row'"}"#
            #expect(try world.former(.post, "/api/articles/batch-delete", delete)["count"] == 1)
        }
    }

    @Test("a transaction has the version's names, and doesn't tell of what the version doesn't have")
    func transaction() throws {
        try TwoVersions.each { world in
            let key = try world.key("Faults")
            let body = """
                {"operations": [
                    {"insert": "Article", "id": "$a", "values": {"headline": "T", "tags": [{"name": "new"}]}},
                    {"update": "articles/\(try world.key("Undo"))", "values": {"headline": "U"}}
                ]}
                """
            let answer = try world.former(.post, "/api/transaction", body, fields: [.prefer: "return=changes"])
            #expect(answer["ids"]?["$a"]?.string?.hasPrefix("articles/") == true, "\(answer.text)")
            #expect(answer["_changed"]?.array?.map { $0["_entity"]?.string } == ["Tag"])
            let closure = try world.former(.delete, "/api/articles/\(key)?dryRun=true")
            #expect(closure["deleted"]?.array?.map(\.string) == ["articles/\(key)"], "\(closure.text)")
            #expect(
                closure["nullified"]?.array?.compactMap { $0["property"]?.string }.sorted() == ["articles", "articles"]
            )
        }
    }

    @Test("relationships and bytes have the version's paths")
    func paths() throws {
        try TwoVersions.each { world in
            let path = "/api/articles/\(try world.key("Faults"))"
            let tag = try #require(world.former(.post, "/api/tags", #"{"name": "more"}"#)["_id"]?.string)
            #expect(try world.former(.put, "\(path)/\(tag)").status == 200)
            #expect(try world.former(.get, "\(path)/tags?sort=name")["items"]?.array?.count == 2)
            #expect(try world.former(.delete, "\(path)/\(tag)").status == 200)
            var fields = TwoVersions.fields
            fields[.contentType] = "application/octet-stream"
            let put = HTTPRequest(.put, "\(path)/cover", fields: fields, body: .bytes([1, 2, 3]))
            #expect(try world.answer(to: put).status == 204)
            let object = try world.former(.get, path)
            #expect(object["cover"]?["href"]?.string == "\(path)/cover" && object["cover"]?["bytes"] == 3)
            #expect(try world.former(.get, "\(path)/cover").bytes == [1, 2, 3])
            let kept = try world.former(.put, path, object.json?.serialized())
            #expect(kept.status == 200 && kept["cover"]?["bytes"] == 3)
            #expect(try world.former(.delete, "\(path)/cover").status == 204)
            #expect(try world.former(.get, "\(path)/image").status == 404)
        }
    }

    @Test("a streamed batch of a renamed entity is streamed")
    func reception() throws {
        try TwoVersions.each { world in
            let batch = HTTPRequest(.post, "/api/articles/batch-insert", fields: TwoVersions.fields)
            #expect(world.api.mayTakeLong(batch) && world.api.mayBlock(batch))
            guard case .stream = world.api.reception(of: batch) else {
                Issue.record("The body would be collected.")
                return
            }
        }
    }

    @Test("a repeat in another version isn't the same request")
    func repeated() throws {
        try TwoVersions.each { world in
            let body = #"{"name": "Dora"}"#
            let fields: HeaderFields = [.idempotencyKey: "k"]
            #expect(try world.former(.post, "/api/authors", body, fields: fields).status == 201)
            let again = try world.former(.post, "/api/authors", body, fields: fields)
            #expect(again.status == 201 && again.fields[.idempotencyReplayed] == "true" && again["email"] == nil)
            #expect(try world.send(.post, "/api/authors", body, fields: fields)["code"] == "idempotency")
        }
    }

    @Test("a draft is shown and changed in either version")
    func draft() throws {
        try TwoVersions.each { world in
            let context = try world.openContext()
            let key = try world.key("Faults")
            let path = "\(context)/articles/\(key)"
            let patched = try world.former(.patch, path, #"{"headline": "Draft", "views": {"$inc": 1}}"#)
            #expect(patched.status == 200 && patched["headline"] == "Draft", "\(patched.text)")
            #expect(try world.get("\(context)/posts/\(key)")["title"] == "Draft")
            #expect(try world.send(.post, "\(context)/reviews", #"{"text": "x"}"#).status == 201)
            #expect(try world.former(.post, "\(context)/articles", #"{"headline": "Fresh"}"#).status == 201)
            #expect(try world.headlines("\(context)/articles?where=headline == 'Fresh'") == ["Fresh"])
            let changes = try world.former(.get, "\(context)/changes")
            #expect(changes["inserted"]?.array?.map { $0["_entity"]?.string } == ["Article"], "\(changes.text)")
            let updated = changes["updated"]?.array?.first
            #expect(updated?["_id"]?.string == "articles/\(key)")
            #expect(updated?["properties"]?["headline"]?["new"] == "Draft")
            let tag = try #require(world.former(.get, path).fields[.etag])
            #expect(try world.former(.put, path, #"{"headline": "Put"}"#, fields: [.ifMatch: tag]).status == 200)
            #expect(try world.get("\(context)/posts/\(key)")["slug"] == "s0")
            #expect(try world.former(.post, "\(context)/validate")["valid"] == true)
            let saved = try world.former(.post, "\(context)/save", fields: [.prefer: "return=changes"])
            #expect(saved["ids"]?.object?.names == ["articles/t2"], "\(saved.text)")
            let entities = Set(saved["_changed"]?.array?.compactMap { $0["_entity"]?.string } ?? [])
            #expect(entities.isSubset(of: ["Article", "Author", "Tag"]))
            #expect(try world.get("/api/posts/\(key)")["title"] == "Put")
            #expect(try world.former(.get, "\(context)/openapi.json")["paths"]?["/articles"] != nil)
        }
    }

    @Test("events of a draft have the version's names, and omit what it doesn't have")
    func events() throws {
        try TwoVersions.each { world throws in
            let context = try world.openContext()
            let key = try world.key("Faults")
            _ = try world.former(.patch, "\(context)/articles/\(key)", #"{"headline": "Mine"}"#)
            let listener = Listener()
            try listener.listen(to: context, of: world.api, fields: TwoVersions.fields)
            _ = try world.send(.patch, "/api/posts/\(key)", #"{"title": "Theirs", "slug": "new"}"#)
            _ = try world.send(.post, "/api/reviews", #"{"text": "x"}"#)
            _ = try world.get(context)
            let events = listener.events
            try #require(events.count == 2)
            #expect(events[0]["updated"]?[0]?["_id"]?.string == "articles/\(key)")
            #expect(events[0]["updated"]?[0]?["properties"] == ["headline"])
            #expect(events[0]["updated"]?[0]?["conflict"] == ["headline"])
            #expect(events[1]["inserted"] == [])
        }
    }

    @Test("objects of entities that the version doesn't have are omitted among those of an abstract entity")
    func hidden() throws {
        func model(_ more: () -> Entity?) -> Model {
            var model = Model {
                Entity("Contact", isAbstract: true) { Attribute("name", .string) }
                Entity("Person", parent: "Contact") { Attribute("mail", .string).optional() }
            }
            if let entity = more() { model.entities.append(entity) }
            return model
        }
        var options = APIOptions()
        options.modelVersions = [ModelVersion(name: "App 1", model: model { nil })]
        func fill(_ coordinator: PersistentStoreCoordinator) throws {
            try coordinator.withContext { context in
                for (entity, name) in [("Person", "Ann"), ("Group", "Writers")] {
                    try context.insert(entity).setValue(.string(name), forKey: "name")
                }
                try context.save()
            }
        }
        let group = Entity("Group", parent: "Contact") { Attribute("motto", .string).optional() }
        try APIWorld.each(model { group }, options: options, filling: fill) { world in
            let key = try world.reference("Group", "Writers").split(separator: "/")[1]
            let list = try world.former(.get, "/api/Contact?count=true")
            #expect(list["items"]?.array?.map { $0["name"]?.string } == ["Ann"] && list["total"] == 1, "\(list.text)")
            #expect(try world.former(.get, "/api/Contact?where=name == 'Writers'&result=count")["count"] == 0)
            #expect(try world.former(.get, "/api/Contact/\(key)").status == 404)
            #expect(try world.former(.patch, "/api/Contact/\(key)", #"{"name": "x"}"#).status == 404)
            #expect(
                try world.former(.post, "/api/Contact/batch-update", #"{"all": true, "set": {"name": "A"}}"#)["count"]
                    == 1
            )
            #expect(
                try world.former(.post, "/api/Contact/batch-delete", "{\"ids\": [\"Contact/\(key)\"]}").status == 422
            )
            #expect(try world.former(.post, "/api/Contact/batch-delete", #"{"all": true}"#)["count"] == 1)
            #expect(try world.get("/api/Contact")["items"]?.array?.map { $0["name"]?.string } == ["Writers"])
            let abstract = try world.former(.post, "/api/Contact", #"{"name": "x"}"#)
            #expect(abstract["hint"]?.string == "POST to /api/Person.", "\(abstract.text)")
        }
    }

    @Test("clients of the former version go on after the model has changed")
    func changed() throws {
        let former = try ManagedObjectModel(TwoVersions.former)
        let first = PersistentStoreCoordinator(model: former)
        let store = InMemoryStore(model: former)
        try first.add(store)
        let api = try API(first)
        func send(_ method: HTTPMethod, _ path: String, _ json: String? = nil, to api: API) throws -> Answer {
            let fields: HeaderFields = [
                "Accept-Model": TwoVersions.former.versionName, .contentType: "application/json",
            ]
            let body = json.map { HTTPRequestBody.bytes(Array($0.utf8)) } ?? .none
            return try Answer(api.respond(to: HTTPRequest(method, path, fields: fields, body: body)), statements: nil)
        }
        #expect(try send(.post, "/api/articles", #"{"headline": "One", "note": "x"}"#, to: api).status == 201)
        _ = try send(.post, "/api/contexts", "{}", to: api)
        #expect(try send(.patch, "/api/contexts/c1/articles/1", #"{"views": 5}"#, to: api).status == 200)
        let before = try send(.get, "/api/articles/1", to: api)
        let present = try ManagedObjectModel(TwoVersions.present)
        let suspended = try api.suspendedContexts()
        let migration = try ModelMigration(from: former, to: present)
        let second = PersistentStoreCoordinator(model: present)
        try second.add(#require(store.migrated(by: migration, as: .lossless).store))
        let next = try api.continued(by: second)
        api.releaseContexts()
        #expect(try next.resume(suspended, after: migration).isEmpty)
        let after = try send(.get, "/api/articles/1", to: next)
        #expect(after.status == 200 && after.json == before.json, "\(after.text)")
        #expect(after.fields[.etag] != before.fields[.etag])
        #expect(after.fields["Model-Version"] == TwoVersions.present.versionName)
        let draft = try send(.get, "/api/contexts/c1/articles/1", to: next)
        #expect(draft["views"] == 5 && draft["headline"] == "One", "\(draft.text)")
        #expect(try send(.post, "/api/contexts/c1/save", to: next).status == 200)
        #expect(try send(.get, "/api/articles?where=views%20==%205", to: next)["items"]?.array?.count == 1)
    }
}
