// SPDX-License-Identifier: Apache-2.0

// The highlights of a search as fragments of HTML.

import JSON

extension JSONBuffer {
    /// Writes another member of an object: `,"_highlight":{"title":"Object <mark>graphs</mark>"}`.
    mutating func write(highlights: [(keyPath: String, fragment: String)], of resource: Resource) {
        write(raw: Array(",\"_highlight\":\(JSONValue(highlights: highlights, of: resource))".utf8))
    }
}

extension JSONValue {
    init(highlights: [(keyPath: String, fragment: String)], of resource: Resource) {
        let members = highlights.compactMap { highlight in
            resource.name(ofPath: highlight.keyPath).map { ($0, JSONValue.string(highlight.fragment)) }
        }
        self = .object(JSONObject(members))
    }
}
