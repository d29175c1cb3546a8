// SPDX-License-Identifier: Apache-2.0

/// An entity with the properties that it declares itself.
///
/// For inherited properties see `Model.attributes(of:)` and its siblings.
public struct Entity: Hashable, Sendable {
    public var name: String
    /// The class name as Xcode writes it; a leading dot means the app's own module.
    public var className: String?
    public var isAbstract: Bool
    public var parentName: String?
    public var attributes: [Attribute]
    public var relationships: [Relationship]
    public var fetchedProperties: [FetchedProperty]
    public var fetchIndexes: [FetchIndex]
    /// Compound indexes, the form that preceded fetch indexes.
    public var compoundIndexes: [[String]]
    /// Each member lists the attributes that are unique in combination.
    public var uniquenessConstraints: [[String]]
    public var userInfo: UserInfo
    /// The name in the previous version, if the entity was renamed.
    public var renamingIdentifier: String?
    public var versionHashModifier: String?
    public var extras: Extras

    public init(
        name: String,
        className: String? = nil,
        isAbstract: Bool = false,
        parentName: String? = nil,
        attributes: [Attribute] = [],
        relationships: [Relationship] = [],
        fetchedProperties: [FetchedProperty] = [],
        fetchIndexes: [FetchIndex] = [],
        compoundIndexes: [[String]] = [],
        uniquenessConstraints: [[String]] = [],
        userInfo: UserInfo = UserInfo(),
        renamingIdentifier: String? = nil,
        versionHashModifier: String? = nil,
        extras: Extras = Extras()
    ) {
        self.name = name
        self.className = className
        self.isAbstract = isAbstract
        self.parentName = parentName
        self.attributes = attributes
        self.relationships = relationships
        self.fetchedProperties = fetchedProperties
        self.fetchIndexes = fetchIndexes
        self.compoundIndexes = compoundIndexes
        self.uniquenessConstraints = uniquenessConstraints
        self.userInfo = userInfo
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.extras = extras
    }
}
