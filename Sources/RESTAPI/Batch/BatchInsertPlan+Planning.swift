// SPDX-License-Identifier: Apache-2.0

// Plans a batch insertion, except for its rows.

import HTTPMessage
import JSON
import ObjectGraph

extension BatchInsertPlan {
    init(_ request: APIRequest, of resource: Resource, in api: API) throws(Problem) {
        var parameters = request.parameters
        self.resource = resource
        author = request.author
        guard !resource.entity.isAbstract else {
            throw .batch(
                .abstract,
                "\(resource.entity.name) is abstract: its objects are of the entities below it.",
                of: resource
            )
        }
        chunkSize = try parameters.takeNumber("chunk")
        guard chunkSize != 0 else { throw Problem(.parameter, "A chunk has at least one row.") }
        result = try parameters.takeChoice("result", BatchResultType.self) ?? .count
        maximum = try parameters.takeNumber("max")
        isDryRun = try parameters.takeFlag("dryRun") ?? false
        keepsIDs = try api.takesKeptIDs(&parameters)
        let known = ["chunk", "max", "result", "dryRun"]
        try parameters.refuseOthers(knowing: api.keepsIDs ? known + [API.keepingParameter] : known)
        let asked = request.preferences.merge?.policy ?? .error
        // Properties that a row doesn't have keep their values, even with “overwrite”.
        policy = asked == .overwrite ? .mergeByPropertyObjectTrump : asked
        layout = try Self.layout(request.fields)
        body = IncomingBody(request.body)
    }

    private static func layout(_ fields: HeaderFields) throws(Problem) -> JSONStreamReader.Layout {
        guard let text = fields[.contentType] else { return .array }
        switch MediaType(text)?.essence {
        case "application/json": return .array
        case "application/x-ndjson", "application/ndjson", "application/jsonl": return .lines
        default: throw .mediaType(text, ["application/json", "application/x-ndjson"])
        }
    }
}
