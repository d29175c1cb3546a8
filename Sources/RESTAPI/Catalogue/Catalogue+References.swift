// SPDX-License-Identifier: Apache-2.0

// References to objects, such as `posts/42`, and the other forms that clients write.

import HTTPMessage
import ObjectGraph

extension Catalogue {
    /// The reference of an object: its path after `/api/`.
    func reference(to objectID: ManagedObjectID) -> String {
        self[objectID.entity].path + "/" + Self.key(of: objectID)
    }

    /// The part of an object's reference after its entity's path.
    static func key(of objectID: ManagedObjectID) -> String {
        switch objectID.reference {
        case .integer(let number): String(number)
        case .text(let text): RequestTarget.encode(segment: text)
        case nil: objectID.temporaryNumber.map { "t\($0)" } ?? ""
        }
    }

    /// The parts of a reference such as `posts/42`, the key decoded; nil if the text isn't one.
    func parts(ofReference text: String) -> (resource: Resource, key: String)? {
        let path = text.hasPrefix("/") ? text : text.hasPrefix("api/") ? "/" + text : "/api/" + text
        guard let target = try? RequestTarget(path), target.segments.count == 3, target.rawQuery == nil,
            let resource = resource(named: target.segments[1])
        else { return nil }
        return (resource, target.segments[2])
    }
}

extension ManagedObjectID.Reference {
    /// The reference for a key in a path.
    init(key: String) {
        if let number = Int64(key), String(number) == key { self = .integer(number) } else { self = .text(key) }
    }
}
