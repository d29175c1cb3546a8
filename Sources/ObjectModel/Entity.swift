// SPDX-License-Identifier: Apache-2.0

// One kind of object.

/// An entity: the properties it declares itself, and what else is said of it.
///
/// What it inherits is found through the model, see `Model.attributes(of:)` and its neighbours.
public struct Entity: Hashable, Sendable {
    public var name: String
    /// The class that represents it, as Xcode has it; a leading dot stands for the app's own module.
    public var className: String?
    public var isAbstract: Bool
    public var parentName: String?
    public var attributes: [Attribute]
    public var relationships: [Relationship]
    public var fetchedProperties: [FetchedProperty]
    public var fetchIndexes: [FetchIndex]
    /// Indexes over several properties as models had them before fetch indexes.
    public var compoundIndexes: [[String]]
    /// Each names the attributes that are unique together.
    public var uniquenessConstraints: [[String]]
    public var userInfo: UserInfo
    /// The name it had in the version before, where that was another.
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
