// SPDX-License-Identifier: Apache-2.0

// References to objects, as `posts/42` and in the other ways that clients write them.

import HTTPMessage
import ObjectGraph

extension Catalogue {
    /// The reference of an object: what is appended to `/api/` to get it.
    func reference(to objectID: ManagedObjectID) -> String {
        self[objectID.entity].path + "/" + Self.key(of: objectID)
    }

    /// What stands for an object behind its entity's path.
    static func key(of objectID: ManagedObjectID) -> String {
        switch objectID.reference {
        case .integer(let number): String(number)
        case .text(let text): RequestTarget.encode(segment: text)
        case nil: objectID.temporaryNumber.map { "t\($0)" } ?? ""
        }
    }

    /// The parts of a reference, `posts/42`; nil where it isn't one. The key is decoded.
    func parts(ofReference text: String) -> (resource: Resource, key: String)? {
        let path = text.hasPrefix("/") ? text : text.hasPrefix("api/") ? "/" + text : "/api/" + text
        guard let target = try? RequestTarget(path), target.segments.count == 3, target.rawQuery == nil,
            let resource = resource(named: target.segments[1])
        else { return nil }
        return (resource, target.segments[2])
    }
}

extension ManagedObjectID.Reference {
    /// What a store calls the row that a path names.
    init(key: String) {
        if let number = Int64(key), String(number) == key { self = .integer(number) } else { self = .text(key) }
    }
}
