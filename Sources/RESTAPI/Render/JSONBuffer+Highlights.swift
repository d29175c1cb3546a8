// SPDX-License-Identifier: Apache-2.0

// What a search has found in an object, as fragments of HTML.

import JSON

extension JSONBuffer {
    /// Writes a further member of an object: `,"_highlight":{"title":"Object <mark>graphs</mark>"}`.
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
