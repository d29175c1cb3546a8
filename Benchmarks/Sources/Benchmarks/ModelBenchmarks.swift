// SPDX-License-Identifier: Apache-2.0

// Reading, checking and hashing a model of a hundred entities.

import Outcrop

func modelBenchmarks(rounds: Int) throws -> [Measurement] {
    let model = hundredEntities
    let (xml, json) = (try model.contents(), try model.json())
    return [
        try Measurement("read 100 entities of XML, \(xml.count / 1024) KB", rounds: rounds) {
            _ = try ModelVersion(contents: xml)
        },
        try Measurement("read 100 entities of JSON, \(json.count / 1024) KB", rounds: rounds) {
            _ = try ModelFile(json: json)
        },
        Measurement("check 100 entities", rounds: rounds) { _ = model.issues() },
        Measurement("version hashes of 100 entities", rounds: rounds) { _ = model.versionHashes() },
    ]
}

/// Entities in a ring, each with ten attributes, and relationships to its neighbours.
private let hundredEntities = Model(
    entities: (0..<100).map { number in
        let (last, next) = ((number + 99) % 100, (number + 1) % 100)
        return Entity(
            name: "Entity\(number)",
            attributes: [
                Attribute(name: "title", type: .string),
                Attribute(name: "body", type: .string, isOptional: true),
                Attribute(name: "views", type: .int64, defaultValue: .integer(0)),
                Attribute(name: "rating", type: .float, isOptional: true),
                Attribute(name: "price", type: .decimal, isOptional: true),
                Attribute(name: "published", type: .bool, defaultValue: .bool(false)),
                Attribute(name: "createdAt", type: .date),
                Attribute(name: "uuid", type: .uuid, isOptional: true),
                Attribute(name: "link", type: .uri, isOptional: true),
                Attribute(name: "cover", type: .binary, isOptional: true),
            ],
            relationships: [
                Relationship(name: "next", destinationName: "Entity\(next)", inverseName: "previous"),
                Relationship(name: "previous", destinationName: "Entity\(last)", inverseName: "next"),
            ]
        )
    }
)
