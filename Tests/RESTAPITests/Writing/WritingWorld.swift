// SPDX-License-Identifier: Apache-2.0

// Helpers of the tests about writing, which read the stores directly.

import HTTPMessage
import JSON
import ObjectGraph
import Predicates
import Testing

@testable import RESTAPI

extension APIWorld {
    func count(_ entity: String) throws -> Int {
        try coordinator.read { reader in try reader.count(FetchRequest(entity)) }
    }

    /// An attribute of an object's members, sorted if the relationship has no order.
    func names(_ entity: String, _ name: String, _ relationship: String, _ attribute: String) throws -> [String] {
        try coordinator.withContext { [key = Self.key(entity)] context in
            let request = FetchRequest<ManagedObject>(entity, predicate: try ObjectPredicate("%K == %@", key, name))
            let owner = try #require(try context.fetch(request).first)
            let names = try owner.objects(forKey: relationship).map { member in
                if case .string(let text) = try member.value(forKey: attribute) { text } else { "" }
            }
            return owner.entity.relationship(named: relationship)?.isOrdered == true ? names : names.sorted()
        }
    }

    func uri(_ entity: String, _ name: String) throws -> String {
        try coordinator.withContext { [key = Self.key(entity)] context in
            let request = FetchRequest<ManagedObject>(entity, predicate: try ObjectPredicate("%K == %@", key, name))
            return try #require(try context.objectIDs(request).first?.uri)
        }
    }

    static func key(_ entity: String) -> String {
        switch entity {
        case "Post": "title"
        case "Page", "Comment": "text"
        default: "name"
        }
    }
}

extension Answer {
    var messages: [String] { self["errors"]?.array?.compactMap { $0["message"]?.string } ?? [] }
    var codes: [String] { self["errors"]?.array?.compactMap { $0["code"]?.string } ?? [] }
}

extension String {
    /// Replaces all occurrences, without Foundation.
    func replacing(_ text: String, with other: String) -> String {
        var result = ""
        var rest = self[...]
        while let range = rest.firstRange(of: text) {
            result += rest[..<range.lowerBound] + other
            rest = rest[range.upperBound...]
        }
        return result + rest
    }
}
