// SPDX-License-Identifier: Apache-2.0

// Relationships written in code. Each modifier returns a changed copy.

extension Relationship {
    /// A required relationship to one object: `Relationship("author", toOne: "User", inverse: "posts")`.
    public init(
        _ name: String,
        toOne destination: String,
        inverse: String? = nil,
        deleteRule: DeleteRule = .nullify
    ) {
        self.init(name: name, destinationName: destination, inverseName: inverse, deleteRule: deleteRule)
    }

    /// A relationship to any number of objects, none included:
    /// `Relationship("posts", toMany: "Post", inverse: "author", deleteRule: .cascade)`.
    public init(
        _ name: String,
        toMany destination: String,
        inverse: String? = nil,
        deleteRule: DeleteRule = .nullify
    ) {
        self.init(
            name: name,
            destinationName: destination,
            inverseName: inverse,
            isToMany: true,
            isOptional: true,
            deleteRule: deleteRule
        )
    }

    public func optional() -> Relationship {
        with {
            $0.isOptional = true
            $0.wording.isCalledOptional = true
        }
    }

    public func transient() -> Relationship { with { $0.isTransient = true } }

    /// Keeps the objects of a to-many in order.
    public func ordered() -> Relationship { with { $0.isOrdered = true } }

    /// How many objects a to-many must have: `.count(1...5)`. It is required then, unless the range begins at zero or it is
    /// `optional()`, which allows none at all beside these numbers.
    public func count(_ range: ClosedRange<Int>) -> Relationship {
        with {
            $0.minimumCount = range.lowerBound
            $0.maximumCount = range.upperBound
            $0.isOptional = range.lowerBound == 0 || $0.wording.isCalledOptional
        }
    }

    /// How many objects a to-many must have at least: `.count(1...)`.
    public func count(_ range: PartialRangeFrom<Int>) -> Relationship {
        with {
            $0.minimumCount = range.lowerBound
            $0.isOptional = range.lowerBound == 0 || $0.wording.isCalledOptional
        }
    }

    /// The canonical name, where that is another: `.renamed(from: "articles")`.
    public func renamed(from identifier: String) -> Relationship { with { $0.renamingIdentifier = identifier } }

    public func versionHashModifier(_ modifier: String) -> Relationship { with { $0.versionHashModifier = modifier } }

    public func userInfo(_ userInfo: UserInfo) -> Relationship { with { $0.userInfo = userInfo } }

    private func with(_ change: (inout Relationship) -> Void) -> Relationship {
        var copy = self
        change(&copy)
        return copy
    }
}
