// SPDX-License-Identifier: Apache-2.0

/// A relationship from one entity to another.
public struct Relationship: Hashable, Sendable {
    public var name: String
    public var destinationName: String
    /// The relationship of the destination that is this one's inverse.
    public var inverseName: String?
    public var isToMany: Bool
    public var isOrdered: Bool
    public var isOptional: Bool
    public var isTransient: Bool
    /// The minimum number of objects; an optional relationship may also be empty.
    public var minimumCount: Int?
    /// The maximum number of objects of a to-many relationship, or nil if unbounded. Always nil for a to-one.
    public var maximumCount: Int?
    public var deleteRule: DeleteRule
    public var userInfo: UserInfo
    /// The name in the previous version, if the relationship was renamed.
    public var renamingIdentifier: String?
    public var versionHashModifier: String?
    public var extras: Extras
    /// How the builder's modifiers were written, so that their order doesn't matter.
    var wording = RelationshipWording()

    public init(
        name: String,
        destinationName: String,
        inverseName: String? = nil,
        isToMany: Bool = false,
        isOrdered: Bool = false,
        isOptional: Bool = false,
        isTransient: Bool = false,
        minimumCount: Int? = nil,
        maximumCount: Int? = nil,
        deleteRule: DeleteRule = .nullify,
        userInfo: UserInfo = UserInfo(),
        renamingIdentifier: String? = nil,
        versionHashModifier: String? = nil,
        extras: Extras = Extras()
    ) {
        self.name = name
        self.destinationName = destinationName
        self.inverseName = inverseName
        self.isToMany = isToMany
        self.isOrdered = isOrdered
        self.isOptional = isOptional
        self.isTransient = isTransient
        self.minimumCount = minimumCount
        self.maximumCount = maximumCount
        self.deleteRule = deleteRule
        self.userInfo = userInfo
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.extras = extras
    }
}

/// The effect of deleting an object on the objects it refers to.
public enum DeleteRule: String, CaseIterable, Hashable, Sendable {
    /// None: they may keep a dangling reference.
    case noAction = "No Action"
    /// Their reference to the object is cleared.
    case nullify = "Nullify"
    /// They are deleted too.
    case cascade = "Cascade"
    /// The object can't be deleted while it refers to others.
    case deny = "Deny"
}
