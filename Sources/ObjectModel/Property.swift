// SPDX-License-Identifier: Apache-2.0

/// An attribute, a relationship or a fetched property.
public enum Property: Hashable, Sendable {
    case attribute(Attribute)
    case relationship(Relationship)
    case fetched(FetchedProperty)

    public var name: String {
        switch self {
        case .attribute(let attribute): attribute.name
        case .relationship(let relationship): relationship.name
        case .fetched(let property): property.name
        }
    }
}
