// SPDX-License-Identifier: Apache-2.0

// Plans a batch insertion, except for its rows.

import HTTPMessage
import JSON
import ObjectGraph

extension BatchPlan {
    /// `POST /api/{E}/batch-insert`
    init(inserting request: APIRequest, of resource: Resource, in api: API) throws(Problem) {
        var parameters = request.parameters
        self.resource = resource
        author = request.author
        guard !resource.entity.isAbstract else {
            throw .batch(
                .abstract,
                "\(resource.name) is abstract; insert objects of its subentities.",
                of: resource
            )
        }
        let chunkSize = try parameters.readNumber("chunk")
        guard chunkSize != 0 else { throw Problem(.parameter, "“chunk” must be at least 1.") }
        result = try parameters.readChoice("result", BatchResultType.self) ?? .count
        maximum = try parameters.readNumber("max")
        isDryRun = try parameters.readFlag("dryRun") ?? false
        let keepsIDs = try parameters.readFlag("keepIds") ?? false
        let asked = request.preferences.merge?.policy ?? .error
        // Properties that a row doesn't have keep their values, even with “overwrite”.
        let policy = asked == .overwrite ? .mergeByPropertyObjectTrump : asked
        let rows = BatchRows(
            body: IncomingBody(request.body, limit: api.options.streamedBodyLimit),
            layout: try Self.layout(request.fields),
            policy: policy,
            chunkSize: chunkSize,
            keepsIDs: keepsIDs
        )
        change = .insert(rows)
    }

    private static func layout(_ fields: HeaderFields) throws(Problem) -> JSONStreamReader.Layout {
        guard let text = fields[.contentType] else { return .array }
        switch MediaType(text)?.essence {
        case "application/json": return .array
        // Generated clients know no type of lines, but octets.
        case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/octet-stream":
            return .lines
        default: throw .mediaType(text, expecting: ["application/json", "application/x-ndjson"])
        }
    }
}
