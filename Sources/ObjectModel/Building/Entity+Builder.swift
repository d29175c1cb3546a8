// SPDX-License-Identifier: Apache-2.0

// Builders of entities.

/// A part of an entity, as collected by the builder.
public enum EntityPart: Hashable, Sendable {
    case property(Property)
    case fetchIndex(FetchIndex)
    case uniquenessConstraint(UniquenessConstraint)
}

/// Attributes that are unique in combination: `UniquenessConstraint("series", "number")`.
public struct UniquenessConstraint: Hashable, Sendable {
    public var attributeNames: [String]

    public init(_ attributeNames: String...) {
        self.attributeNames = attributeNames
    }
}

/// Collects the parts of an entity; `if`, `switch` and `for` work inside.
@resultBuilder
public enum EntityBuilder {
    public static func buildExpression(_ attribute: Attribute) -> [EntityPart] { [.property(.attribute(attribute))] }
    public static func buildExpression(_ relationship: Relationship) -> [EntityPart] {
        [.property(.relationship(relationship))]
    }
    public static func buildExpression(_ property: FetchedProperty) -> [EntityPart] { [.property(.fetched(property))] }
    public static func buildExpression(_ index: FetchIndex) -> [EntityPart] { [.fetchIndex(index)] }
    public static func buildExpression(_ constraint: UniquenessConstraint) -> [EntityPart] {
        [.uniquenessConstraint(constraint)]
    }
    public static func buildExpression(_ attributes: [Attribute]) -> [EntityPart] {
        attributes.map { .property(.attribute($0)) }
    }

    public static func buildBlock(_ parts: [EntityPart]...) -> [EntityPart] { parts.flatMap(\.self) }
    public static func buildOptional(_ parts: [EntityPart]?) -> [EntityPart] { parts ?? [] }
    public static func buildEither(first parts: [EntityPart]) -> [EntityPart] { parts }
    public static func buildEither(second parts: [EntityPart]) -> [EntityPart] { parts }
    public static func buildArray(_ parts: [[EntityPart]]) -> [EntityPart] { parts.flatMap(\.self) }
}

extension Entity {
    /// Creates an entity from its parts.
    ///
    ///     Entity("Post", parent: "Item") {
    ///         Attribute("title", .string)
    ///         FetchIndex("byTitle", .ascending("title"))
    ///     }
    public init(
        _ name: String,
        parent: String? = nil,
        isAbstract: Bool = false,
        className: String? = nil,
        renamedFrom renamingIdentifier: String? = nil,
        userInfo: UserInfo = UserInfo(),
        @EntityBuilder _ content: () -> [EntityPart] = { [] }
    ) {
        self.init(
            name: name,
            className: className,
            isAbstract: isAbstract,
            parentName: parent,
            userInfo: userInfo,
            renamingIdentifier: renamingIdentifier
        )
        for part in content() {
            switch part {
            case .property(.attribute(let attribute)): attributes.append(attribute)
            case .property(.relationship(let relationship)): relationships.append(relationship)
            case .property(.fetched(let property)): fetchedProperties.append(property)
            case .fetchIndex(let index): fetchIndexes.append(index)
            case .uniquenessConstraint(let constraint): uniquenessConstraints.append(constraint.attributeNames)
            }
        }
    }
}

extension FetchedProperty {
    /// Creates a fetched property, such as:
    /// `FetchedProperty("drafts", of: "Post", predicate: "author == $FETCH_SOURCE AND isDraft == YES")`.
    public init(_ name: String, of entity: String, predicate: String? = nil) {
        let request = FetchRequestTemplate(name: "fetchRequest", entityName: entity, predicate: predicate)
        self.init(name: name, fetchRequest: request, isOptional: true)
    }
}

extension FetchIndex {
    /// Creates an index: `FetchIndex("newest", .descending("date"), .ascending("title"), where: "isDraft == NO")`.
    public init(_ name: String, _ elements: Element..., where predicate: String? = nil) {
        self.init(name: name, elements: elements, partialPredicate: predicate)
    }
}

extension FetchIndex.Element {
    public static func ascending(_ property: String) -> FetchIndex.Element { .init(.property(property)) }

    public static func descending(_ property: String) -> FetchIndex.Element {
        .init(.property(property), isAscending: false)
    }

    /// An element for range searches over several numbers at once, such as places in a rectangle.
    public static func rTree(_ property: String) -> FetchIndex.Element { .init(.property(property), kind: .rTree) }
}
