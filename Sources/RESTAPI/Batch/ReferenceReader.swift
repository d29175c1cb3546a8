// SPDX-License-Identifier: Apache-2.0

// Reads references in batches, where many rows refer to few objects.

import JSON
import ObjectGraph
import SourceText

/// Parses references, and caches the last ones. It reads a row only to find the entity of an object named by a URI.
struct ReferenceReader {
    /// Why a value isn't a reference to an object of an entity.
    struct Mismatch: Error {
        let message: String
        var hint: String?
    }

    private let api: API
    private var known: [String: ManagedObjectID] = [:]

    private static let limit = 10_000

    init(_ api: API) { self.api = api }

    /// The object named by `"posts/42"`, a URI, or an object with `_id`, with the entity or one of its superentities.
    mutating func read(_ json: JSONValue, to resource: Resource) -> Result<ManagedObjectID, Mismatch> {
        guard let text = json.string ?? json["_id"]?.string else {
            return .failure(
                Mismatch(message: "A reference such as \"\(resource.path)/1\" is expected, not \(json.summary).")
            )
        }
        guard let objectID = known[text] ?? objectID(text) else {
            if let location = BodyReader(api.catalogue).location(.string(text)), location.store != nil {
                return .failure(Mismatch(message: location.missing(among: api.coordinator.stores.map(\.identifier))))
            }
            return .failure(
                Mismatch(message: "\(json.summary) isn't a reference such as \"\(resource.path)/1\".")
            )
        }
        let named = objectID.entity
        let wanted = resource.entity
        guard named.isKind(of: wanted) || wanted.isKind(of: named) else {
            let actual = api.catalogue[named].name.withArticle
            return .failure(
                Mismatch(message: "\(json.summary) is \(actual), but \(resource.name.withArticle) is expected.")
            )
        }
        if known.count >= Self.limit { known = [:] }
        known[text] = objectID
        return .success(objectID)
    }

    private func objectID(_ text: String) -> ManagedObjectID? {
        if text.hasPrefix("x-coredata:") { return api.names.objectID(forURI: api.catalogue.servedURI(text)) }
        return api.catalogue.parts(ofReference: text).flatMap { api.names.objectID(of: $0.resource, key: $0.key) }
    }
}
