// SPDX-License-Identifier: Apache-2.0

// A model with one of everything that a diagram can show.

import ObjectModel

let demoWorld = Model(entities: [
    Entity(
        name: "User",
        attributes: [
            Attribute(name: "name", type: .string),
            Attribute(name: "email", type: .string, isOptional: true),
            Attribute(name: "birthday", type: .date, isOptional: true),
            Attribute(name: "age", type: .int16, isOptional: true, isTransient: true),
            Attribute(name: "postCount", type: .int64, derivation: "posts.@count"),
        ],
        relationships: [
            Relationship(
                name: "posts",
                destinationName: "Post",
                inverseName: "author",
                isToMany: true,
                isOrdered: true,
                isOptional: true,
                deleteRule: .cascade
            ),
            Relationship(
                name: "comments",
                destinationName: "Comment",
                inverseName: "author",
                isToMany: true,
                isOptional: true,
                deleteRule: .deny
            ),
            Relationship(
                name: "contact",
                destinationName: "Contact",
                inverseName: "user",
                isOptional: true,
                deleteRule: .cascade
            ),
        ],
        fetchedProperties: [
            FetchedProperty(
                name: "recentPosts",
                fetchRequest: FetchRequestTemplate(name: "recent", entityName: "Post")
            )
        ],
        fetchIndexes: [FetchIndex(name: "byName", elements: [.init(.property("name"))])],
        uniquenessConstraints: [["email"]],
        userInfo: ["documentation": "Somebody who writes"]
    ),
    Entity(
        name: "Post",
        attributes: [
            Attribute(name: "title", type: .string),
            Attribute(name: "body", type: .string, isOptional: true),
            Attribute(name: "createdAt", type: .date),
            Attribute(name: "place", type: .composite("Coordinate"), isOptional: true),
        ],
        relationships: [
            Relationship(name: "author", destinationName: "User", inverseName: "posts"),
            Relationship(
                name: "tags",
                destinationName: "Tag",
                inverseName: "posts",
                isToMany: true,
                isOptional: true
            ),
            Relationship(
                name: "comments",
                destinationName: "Comment",
                inverseName: "post",
                isToMany: true,
                isOptional: true,
                deleteRule: .cascade
            ),
            Relationship(
                name: "replies",
                destinationName: "Post",
                inverseName: "inReplyTo",
                isToMany: true,
                isOptional: true
            ),
            Relationship(name: "inReplyTo", destinationName: "Post", inverseName: "replies", isOptional: true),
            Relationship(name: "cover", destinationName: "Image", isOptional: true, deleteRule: .noAction),
        ]
    ),
    Entity(
        name: "Comment",
        attributes: [Attribute(name: "text", type: .string), Attribute(name: "createdAt", type: .date)],
        relationships: [
            Relationship(name: "author", destinationName: "User", inverseName: "comments"),
            Relationship(name: "post", destinationName: "Post", inverseName: "comments"),
        ]
    ),
    Entity(
        name: "Tag",
        attributes: [Attribute(name: "name", type: .string, isIndexed: true)],
        relationships: [
            Relationship(
                name: "posts",
                destinationName: "Post",
                inverseName: "tags",
                isToMany: true,
                isOptional: true
            ),
            Relationship(
                name: "synonyms",
                destinationName: "Tag",
                inverseName: "synonyms",
                isToMany: true,
                isOptional: true
            ),
        ],
        uniquenessConstraints: [["name"]]
    ),
    Entity(
        name: "Contact",
        isAbstract: true,
        attributes: [Attribute(name: "phone", type: .string, isOptional: true)],
        relationships: [
            Relationship(name: "user", destinationName: "User", inverseName: "contact", isOptional: true)
        ]
    ),
    Entity(
        name: "Person",
        parentName: "Contact",
        attributes: [Attribute(name: "givenName", type: .string), Attribute(name: "familyName", type: .string)],
        relationships: [
            Relationship(
                name: "employer",
                destinationName: "Organization",
                inverseName: "employees",
                isOptional: true
            )
        ]
    ),
    Entity(
        name: "Organization",
        parentName: "Contact",
        attributes: [Attribute(name: "legalName", type: .string)],
        relationships: [
            Relationship(
                name: "employees",
                destinationName: "Person",
                inverseName: "employer",
                isToMany: true,
                isOptional: true,
                minimumCount: 2,
                maximumCount: 20,
                deleteRule: .deny
            )
        ]
    ),
    Entity(name: "Image", attributes: [Attribute(name: "data", type: .binary, allowsExternalStorage: true)]),
    Entity(
        name: "Setting",
        attributes: [Attribute(name: "key", type: .string), Attribute(name: "value", type: .string, isOptional: true)]
    ),
])
