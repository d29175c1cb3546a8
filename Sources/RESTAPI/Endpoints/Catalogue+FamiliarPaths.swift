// SPDX-License-Identifier: Apache-2.0

// Hints for paths that other APIs have.

extension Catalogue {
    /// What to use instead of a name in the place of an object's key, or below it.
    func hint(forKey name: String, of resource: Resource) -> String? {
        let path = path(of: resource)
        return switch name.lowercased() {
        case "live", "watch", "subscribe", "stream", "events", "changes": "GET \(path)/live watches objects."
        case "search": "GET \(path)?search=WORDS searches texts."
        case "count": "GET \(path)?result=count counts objects."
        case "import", "bulk", "batch", "insert": "POST \(path)/batch-insert inserts many objects."
        default: nil
        }
    }

    /// What to use instead of a name in the place of an entity's.
    func hint(forEntity name: String) -> String? {
        switch name.lowercased() {
        case "commit", "publish": isOfContext ? "POST \(path)save saves the context." : nil
        case "draft", "drafts": "Drafts are editing contexts: POST /api/contexts opens one."
        default: Self.documentHint(name)
        }
    }

    /// The description of the API, for the names under which other servers have it.
    static func documentHint(_ name: String) -> String? {
        let names: Set = [
            "swagger", "swagger.json", "swagger-ui", "openapi", "openapi.json", "openapi.yaml", "docs", "api-docs",
            "redoc",
        ]
        return names.contains(name.lowercased()) ? "GET /openapi.json describes the API." : nil
    }
}
