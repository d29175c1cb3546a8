// SPDX-License-Identifier: Apache-2.0

// Writing to stores that apps have written with many versions of the framework.

import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import SQLiteStore
import TestSupport
import Testing

@testable import RESTAPI

@Suite("Stores written by apps", .enabled(if: Corpus.path != nil, "OUTCROP_CORPUS names no folder"))
struct StoresOfAppsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The API with a copy of a store, or nil if the store carries no model.
    private func api(_ path: String) throws -> API? {
        let copy = folder.path + "/Store.sqlite"
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        do {
            let store = try SQLiteStore(path: copy)
            let coordinator = PersistentStoreCoordinator(model: store.model)
            try coordinator.add(store)
            // Some deletions read thousands of rows, and the machine may be busy.
            var options = APIOptions()
            options.deadline = nil
            return try API(coordinator, options: options)
        } catch let error as StoreError where error.code == .noModel {
            return nil
        }
    }

    private func send(_ api: API, _ method: HTTPMethod, _ target: String, _ body: JSONObject? = nil) throws -> Answer {
        let bytes = body.map { HTTPRequestBody.bytes(Array(JSONValue.object($0).serialized().utf8)) } ?? .none
        let fields: HeaderFields = body == nil ? [:] : [.contentType: "application/json"]
        return try Answer(api.respond(to: HTTPRequest(method, target, fields: fields, body: bytes)), statements: nil)
    }

    /// Some objects of each entity: their writable properties, and the name of a text attribute.
    private func each(_ api: API, _ body: (_ path: String, _ shown: JSONObject, _ text: String?) throws -> Void) throws
    {
        for entity in api.catalogue.model.entities where !entity.isAbstract {
            let resource = api.catalogue[entity]
            let path = "/api/\(RequestTarget.encode(segment: resource.path))"
            let page = try send(api, .get, path + "?limit=5&includeSubentities=false")
            #expect(page.status == 200)
            for item in page["items"]?.array ?? [] {
                var shown = try #require(item.object)
                let id = try #require(item["_id"]?.string)
                for property in resource.properties where property.attribute?.isDerived != false {
                    if property.relationship == nil { shown[property.name] = nil }
                }
                let text = resource.properties.first { $0.attribute?.type == .string && shown[$0.name] != nil }
                try body("/api/\(id)", shown, text?.name)
            }
        }
    }

    @Test(
        "objects of an app's store stay unchanged when they are sent back as shown",
        arguments: Turn.part(of: Corpus.stores)
    )
    func sentBack(path: String) throws {
        guard let api = try api(path) else { return }
        try each(api) { path, shown, _ throws in
            let answer = try send(api, .patch, path, shown)
            #expect(answer.status == 200, "\(path): \(answer.text.prefix(500))")
            #expect(answer["_version"] == shown["_version"], "\(path)")
        }
    }

    @Test(
        "objects of an app's store can be changed and deleted, whatever tables and triggers it has",
        arguments: Turn.part(of: Corpus.stores)
    )
    func changed(path: String) throws {
        guard let api = try api(path) else { return }
        try each(api) { path, shown, text throws in
            if let text {
                let answer = try send(api, .patch, path + "?dryRun=true", [text: "changed"])
                #expect(answer.status < 500, "\(path): \(answer.text)")
            }
            let answer = try send(api, .delete, path + "?dryRun=true")
            #expect(answer.status < 500, "\(path): \(answer.text)")
        }
    }
}
