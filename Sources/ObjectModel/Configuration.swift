// SPDX-License-Identifier: Apache-2.0

// A named choice of entities, by which they are given to stores.

/// A configuration: the entities that one store holds.
public struct Configuration: Hashable, Sendable {
    public var name: String
    public var entityNames: [String]
    public var extras: Extras

    public init(name: String, entityNames: [String], extras: Extras = Extras()) {
        self.name = name
        self.entityNames = entityNames
        self.extras = extras
    }
}
