// SPDX-License-Identifier: Apache-2.0

// The highlights of a search as fragments of HTML.

import JSON

extension JSONBuffer {
    /// Writes another member of an object: `,"_highlight":{"title":"Object <mark>graphs</mark>"}`.
    mutating func write(highlights: [(keyPath: String, fragment: String)]) {
        write(raw: Array(",\"_highlight\":\(JSONValue(highlights: highlights))".utf8))
    }
}

extension JSONValue {
    init(highlights: [(keyPath: String, fragment: String)]) {
        let members = highlights.map { highlight in
            let names = highlight.keyPath.split(separator: ".").map { ResourceProperty.name(of: String($0)) }
            return (names.joined(separator: "."), JSONValue.string(highlight.fragment))
        }
        self = .object(JSONObject(members))
    }
}
