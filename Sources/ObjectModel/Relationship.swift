// SPDX-License-Identifier: Apache-2.0

// A property that holds other objects.

/// A relationship from one entity to another.
public struct Relationship: Hashable, Sendable {
    public var name: String
    public var destinationName: String
    /// The relationship of the destination that leads back.
    public var inverseName: String?
    public var isToMany: Bool
    public var isOrdered: Bool
    public var isOptional: Bool
    public var isTransient: Bool
    /// The least number of objects, where there are any at all or the relationship is required.
    public var minimumCount: Int?
    /// The greatest number of objects of a to-many; nil where there is no bound. Always nil for a to-one.
    public var maximumCount: Int?
    public var deleteRule: DeleteRule
    public var userInfo: UserInfo
    /// The name it had in the version before, where that was another.
    public var renamingIdentifier: String?
    public var versionHashModifier: String?
    public var extras: Extras
    /// How it was written in Swift, where the order of modifiers isn't to count.
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

/// What becomes of the objects at the other end when an object is deleted.
public enum DeleteRule: String, CaseIterable, Hashable, Sendable {
    /// Nothing: they may be left pointing nowhere.
    case noAction = "No Action"
    /// They forget it.
    case nullify = "Nullify"
    /// They are deleted too.
    case cascade = "Cascade"
    /// The object can't be deleted while there are any.
    case deny = "Deny"
}
