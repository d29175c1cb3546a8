// SPDX-License-Identifier: Apache-2.0

// The keys of an archive's objects, by class.

import PropertyList
import Testing

struct ArchiveShape {
    /// The keys that all objects of a class have, and those that some have.
    private(set) var keys: [String: (always: Set<String>, ever: Set<String>)] = [:]
    /// The ancestors of each class.
    private(set) var chains: [String: [String]] = [:]

    init(_ bytes: [UInt8]) throws {
        let objects = try #require(try PropertyListValue(parsing: bytes)["$objects"]?.array)
        for object in objects {
            guard let place = object["$class"]?.integerOrUID, let contents = object.dictionary else { continue }
            let name = try #require(objects[place]["$classname"]?.string)
            chains[name] = objects[place]["$classes"]?.array?.compactMap(\.string)
            let found = Set(contents.keys)
            if let known = keys[name] {
                keys[name] = (known.always.intersection(found), known.ever.union(found))
            } else {
                keys[name] = (found, found)
            }
        }
    }
}

extension PropertyListValue {
    fileprivate var integerOrUID: Int? { uid.flatMap(Int.init(exactly:)) }
}
