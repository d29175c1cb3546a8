// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import ObjectModel
import Predicates
import Testing

@Suite("Conflicts between contexts")
struct ConflictTests {
    let world: World

    init() throws {
        world = try World()
    }

    /// The edits of both sides to a post with the title “Base” and 0 views, and the expected result.
    struct Case: Sendable {
        let policy: MergePolicy
        var title: String?
        var views: Int64?
        var expected: (title: String, views: Int64)?

        /// The other context has set the title to “Store” and the views to 1.
        static let both: [Case] = [
            Case(policy: .error, title: "Mine", expected: nil),
            Case(policy: .rollback, title: "Mine", expected: ("Store", 1)),
            Case(policy: .overwrite, title: "Mine", expected: ("Mine", 0)),
            Case(policy: .mergeByPropertyObjectTrump, title: "Mine", expected: ("Mine", 1)),
            Case(policy: .mergeByPropertyStoreTrump, title: "Mine", expected: ("Store", 1)),
            Case(policy: .mergeByPropertyStoreTrump, title: "Mine", views: 9, expected: ("Store", 1)),
            Case(policy: .mergeByPropertyObjectTrump, title: "Mine", views: 9, expected: ("Mine", 9)),
            Case(
                policy: MergePolicy { conflict in
                    var row = try #require(conflict.edited)
                    row.attributes = zip(row.attributes, conflict.stored?.row.attributes ?? []).map { mine, theirs in
                        guard case .string(let mine) = mine, case .string(let theirs) = theirs else { return theirs }
                        return .string(mine + "+" + theirs)
                    }
                    return row
                },
                title: "Mine",
                expected: ("Mine+Store", 1)
            ),
        ]
    }

    private func post(in context: ManagedObjectContext) throws -> ManagedObject {
        try #require(try context.fetch(FetchRequest<ManagedObject>("Post")).first)
    }

    @Test("each merge policy resolves a conflict property by property", arguments: Case.both)
    func updates(example: Case) throws {
        try world.run { context in
            try context.insert("Post").setValue("Base", forKey: "title")
            try context.save()
        }
        try world.run { context in
            let mine = try post(in: context)
            if let title = example.title { try mine.setValue(.string(title), forKey: "title") }
            if let views = example.views { try mine.setValue(.integer(views), forKey: "views") }
            try world.run { other in
                let theirs = try post(in: other)
                try theirs.setValue("Store", forKey: "title")
                try theirs.setValue(1, forKey: "views")
                try other.save()
            }
            context.mergePolicy = example.policy
            guard let expected = example.expected else {
                let error = #expect(throws: GraphError.self) { try context.save() }
                #expect(error?.code == .conflict)
                #expect(error?.conflicts.map(\.objectID) == [mine.objectID])
                #expect(mine.isUpdated)
                return
            }
            try context.save()
            #expect(try mine.value(forKey: "title") == .string(expected.title))
            #expect(!context.hasChanges)
        }
        guard let expected = example.expected else { return }
        try world.run { context in
            let saved = try post(in: context)
            #expect(try saved.value(forKey: "title") == .string(expected.title))
            #expect(try saved.value(forKey: "views") == .integer(expected.views))
        }
    }

    @Test(
        "an object that another context deleted is recreated or given up, depending on the policy",
        arguments: [
            (MergePolicy.Kind.overwrite, 1), (.mergeByPropertyObjectTrump, 1), (.rollback, 0),
            (.mergeByPropertyStoreTrump, 0),
        ]
    )
    func deletedByOthers(kind: MergePolicy.Kind, count: Int) throws {
        try world.run { context in
            try context.insert("Post")
            try context.save()
            try post(in: context).setValue("Mine", forKey: "title")
            try world.run { other in
                other.delete(try post(in: other))
                try other.save()
            }
            context.mergePolicy = MergePolicy(kind)
            try context.save()
        }
        #expect(try world.run { try $0.count(FetchRequest<ManagedObject>("Post")) } == count)
    }

    @Test(
        "deleting an object that another context changed deletes or restores it, depending on the policy",
        arguments: [
            (MergePolicy.Kind.overwrite, 0), (.mergeByPropertyObjectTrump, 0), (.rollback, 1),
            (.mergeByPropertyStoreTrump, 1),
        ]
    )
    func deletedHere(kind: MergePolicy.Kind, count: Int) throws {
        try world.run { context in
            try context.insert("Post")
            try context.save()
            context.delete(try post(in: context))
            try world.run { other in
                try post(in: other).setValue("Theirs", forKey: "title")
                try other.save()
            }
            context.mergePolicy = MergePolicy(kind)
            try context.save()
            let posts = try context.fetch(FetchRequest<ManagedObject>("Post"))
            #expect(try posts.map { try $0.value(forKey: "title") } == Array(repeating: "Theirs", count: count))
        }
    }

    @Test(
        "a save doesn't delete an object of a cascade that another context has moved to another owner",
        arguments: MergePolicy.Kind.allCases.filter { $0 != .error }
    )
    func movedAway(kind: MergePolicy.Kind) throws {
        try world.run { context in
            let ann = try context.insert("User")
            try ann.setValue("Ann", forKey: "name")
            try context.insert("User").setValue("Bea", forKey: "name")
            try context.insert("Post").relate("author", ann)
            try context.save()
            context.delete(ann)
            try context.processPendingChanges()
            try world.run { other in
                let predicate = try ObjectPredicate("name == 'Bea'")
                let bea = try other.fetch(FetchRequest<ManagedObject>("User", predicate: predicate))
                try post(in: other).relate("author", bea.first)
                try other.save()
            }
            context.mergePolicy = MergePolicy(kind)
            try context.save()
        }
        try world.run { context in
            let users = try context.fetch(FetchRequest<ManagedObject>("User"))
            #expect(try users.map { try $0.value(forKey: "name") } == ["Bea"])
            #expect(try post(in: context).related("author") == users)
        }
    }

    @Test("deleting an unread object that another context deleted succeeds", arguments: MergePolicy.Kind.allCases)
    func deletedUnread(kind: MergePolicy.Kind) throws {
        let id = try world.run { context in
            let post = try context.insert("Post")
            try context.save()
            let id = post.objectID
            context.delete(post)
            try context.save()
            return id
        }
        try world.run { context in
            context.mergePolicy = MergePolicy(kind)
            context.delete(context.object(with: id))
            try context.save()
            #expect(!context.hasChanges)
        }
    }

    @Test("after conflicting one-to-one changes, each object has one partner on both sides")
    func partners() throws {
        for (kind, keepsOwn) in [
            (MergePolicy.Kind.rollback, false), (.mergeByPropertyStoreTrump, false),
            (.mergeByPropertyObjectTrump, true), (.overwrite, true),
        ] {
            let world = try World()
            let (user, profiles) = try world.run { context in
                let user = try context.insert("User")
                try user.setValue("Ann", forKey: "name")
                let profiles = try (0..<3).map { _ in try context.insert("Profile") }
                try user.relate("profile", profiles[0])
                try context.save()
                return (user.objectID, profiles.map(\.objectID))
            }
            try world.run { context in
                for id in profiles.prefix(2) + [user] { _ = try context.existingObject(with: id) }
                try context.object(with: user).relate("profile", context.object(with: profiles[1]))
                try world.run { other in
                    try other.object(with: user).relate("profile", other.object(with: profiles[2]))
                    try other.save()
                }
                context.mergePolicy = MergePolicy(kind)
                try context.save()
            }
            try world.run { (context) throws in
                let kept = profiles[keepsOwn ? 1 : 2]
                #expect(try context.object(with: user).related("profile").map(\.objectID) == [kept], "\(kind)")
                for id in profiles {
                    let back = try context.object(with: id).related("user").map(\.objectID)
                    #expect(back == (id == kept ? [user] : []), "\(kind)")
                }
            }
        }
    }

    @Test("violations within the save and against the store are reported, and nil never violates")
    func constraints() throws {
        try world.run { context in
            for _ in 0..<2 { try context.insert("User").setValue("Ann", forKey: "name") }
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.code == .constraint)
            #expect(error?.constraintConflicts.first?.objects.count == 2)
            context.rollback()
            try context.insert("User").setValue("Ann", forKey: "name")
            try context.save()
            try context.insert("Admin").setValue("Ann", forKey: "name")
            let stored = #expect(throws: GraphError.self) { try context.save() }
            #expect(stored?.constraintConflicts.first?.stored != nil)
        }
    }

    /// A row that a custom merge policy returns, and the message of the resulting error.
    struct BadRow: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (inout Row, ManagedObjectID) -> Void
        let message: String

        static let all = [
            BadRow(
                testDescription: "a text for a number",
                change: { row, post in
                    if let views = post.entity.attribute(named: "views") { row[views] = "many" }
                },
                message: #"Post.views is of type Int64 and can't be "many"."#
            ),
            BadRow(
                testDescription: "no values",
                change: { row, _ in row = Row(attributes: [], toOnes: []) },
                message: "The merge policy returned a row with 0 attributes and 0 to-one relationships for Post, "
                    + "which has 3 and 1."
            ),
            BadRow(
                testDescription: "a value too many",
                change: { row, _ in row.attributes.append(.null) },
                message: "The merge policy returned a row with 4 attributes and 1 to-one relationships for Post, "
                    + "which has 3 and 1."
            ),
            BadRow(
                testDescription: "an object of another entity",
                change: { row, post in row.toOnes = [post] },
                message: "The destination of author is User, not Post."
            ),
        ]
    }

    @Test("an invalid row from a merge policy is refused, and the context is unchanged", arguments: BadRow.all)
    func badRow(_ bad: BadRow) throws {
        let id = try world.run { context in
            let post = try context.insert("Post")
            try context.save()
            return post.objectID
        }
        try world.run { (context) throws in
            let post = context.object(with: id)
            try post.setValue("Mine", forKey: "title")
            try world.run { other in
                try other.object(with: id).setValue("Theirs", forKey: "title")
                try other.save()
            }
            context.mergePolicy = MergePolicy { conflict in
                var row = try #require(conflict.edited)
                bad.change(&row, conflict.objectID)
                return row
            }
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.message == bad.message)
            #expect(error?.objectID == id && error?.conflicts.count == 1)
            #expect(try post.value(forKey: "title") == "Mine" && post.value(forKey: "views") == 0)
            #expect(context.updatedObjects == [post])
        }
    }

    @Test("reading a row by another entity's attribute traps")
    func foreignAttribute() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try World().run { context in
                let post = try context.insert("Post")
                let title = try #require(post.entity.attribute(named: "tagCount"))
                _ = Row(attributes: [], toOnes: [])[title]
            }
        }
        try PreconditionTests.expect("The row has no “tagCount”.", in: result)
    }

    /// The result for a new Ann, 30, with a post, if the store has an Ann, 60, with a profile.
    @Test(
        "a new object with a stored object's unique values becomes that object or is dropped",
        arguments: [
            (MergePolicy.Kind.mergeByPropertyObjectTrump, 30, 1), (.overwrite, 30, 1),
            (.mergeByPropertyStoreTrump, 60, 1), (.rollback, 60, 0),
        ] as [(MergePolicy.Kind, Int64, Int)]
    )
    func upsert(kind: MergePolicy.Kind, age: Int64, posts: Int) throws {
        let id = try world.run { context in
            let ann = try context.insert("User")
            try ann.setValue("Ann", forKey: "name")
            try ann.setValue(60, forKey: "age")
            try ann.relate("profile", try context.insert("Profile"))
            try context.save()
            return ann.objectID
        }
        try world.run { context in
            context.mergePolicy = MergePolicy(kind)
            let ann = try context.insert("User")
            try ann.setValue("Ann", forKey: "name")
            try ann.setValue(30, forKey: "age")
            try ann.relate("posts", try context.insert("Post"))
            try context.save()
            #expect(!context.hasChanges)
        }
        try world.run { context in
            let users = try context.fetch(FetchRequest<ManagedObject>("User"))
            #expect(users.map(\.objectID) == [id])
            #expect(try users[0].value(forKey: "age") == .integer(age))
            #expect(try users[0].related("profile").count == 1)
            #expect(try users[0].related("posts").count == posts)
        }
    }

    @Test("of several new objects with the same unique values, one remains")
    func withinSave() throws {
        try world.run { context in
            context.mergePolicy = .mergeByPropertyObjectTrump
            for age in [1, 2, 3] {
                let ann = try context.insert("User")
                try ann.setValue("Ann", forKey: "name")
                try ann.setValue(.integer(Int64(age)), forKey: "age")
            }
            try context.save()
            let users = try context.fetch(FetchRequest<ManagedObject>("User"))
            #expect(try users.map { try $0.value(forKey: "age") } == [3])
        }
    }

    @Test(
        "undo doesn't revert values that a policy took from another context",
        arguments: [MergePolicy.Kind.rollback, .mergeByPropertyStoreTrump]
    )
    func undo(kind: MergePolicy.Kind) throws {
        let world = try World()
        let (post, users) = try world.run { context in
            let users = try ["Ann", "Bea", "Cid"].map { name in
                let user = try context.insert("User")
                try user.setValue(.string(name), forKey: "name")
                return user
            }
            let post = try context.insert("Post")
            try post.relate("author", users[0])
            try context.save()
            return (post.objectID, users.map(\.objectID))
        }
        try world.run { (context) throws in
            context.undoManager = ObjectUndoManager()
            context.mergePolicy = MergePolicy(kind)
            let own = context.object(with: post)
            try own.setValue("Mine", forKey: "title")
            try own.relate("author", context.object(with: users[1]))
            try context.object(with: users[0]).setValue(33, forKey: "age")
            try context.processPendingChanges()
            try world.run { other in
                try other.object(with: post).setValue("Theirs", forKey: "title")
                try other.object(with: post).relate("author", other.object(with: users[2]))
                try other.save()
            }
            try context.save()
            try context.undo()
            #expect(try own.value(forKey: "title") == "Theirs")
            #expect(try own.related("author").map(\.objectID) == [users[2]])
            #expect(try context.object(with: users[2]).related("posts").map(\.objectID) == [post])
            #expect(try context.object(with: users[0]).value(forKey: "age") == .null)
            #expect(!own.hasChanges)
            try context.redo()
            #expect(try own.value(forKey: "title") == "Theirs")
            #expect(try context.object(with: users[0]).value(forKey: "age") == 33)
            try context.save()
        }
        try world.run { (context) throws in
            #expect(try context.object(with: post).value(forKey: "title") == "Theirs")
            #expect(try context.object(with: post).related("author").map(\.objectID) == [users[2]])
        }
    }

    @Test("the surviving object of a dropped duplicate is known, also if a relationship is part of the constraint")
    func survivors() throws {
        let model = try ManagedObjectModel(
            Model {
                Entity("Publisher") {
                    Attribute("name", .string).optional()
                    Relationship("books", toMany: "Book", inverse: "publisher").optional()
                }
                Entity("Book") {
                    Attribute("title", .string)
                    Attribute("pages", .int64).optional()
                    Relationship("publisher", toOne: "Publisher", inverse: "books").optional()
                    UniquenessConstraint("title", "publisher")
                }
            }
        )
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(TestStore.make(model))
        try coordinator.withContext { (context) throws in
            let (publisher, stored) = (try context.insert("Publisher"), try context.insert("Book"))
            try stored.setValue("A", forKey: "title")
            try stored.relate("publisher", publisher)
            try context.save()
            #expect(context.survivor(of: stored) == nil)
            context.mergePolicy = .mergeByPropertyObjectTrump
            let twins = try [1, 2].map { (pages) throws in
                let book = try context.insert("Book")
                try book.setValue("A", forKey: "title")
                try book.setValue(.integer(Int64(pages)), forKey: "pages")
                try book.relate("publisher", publisher)
                return book
            }
            try context.save()
            #expect(twins.map(context.survivor) == [stored.objectID, stored.objectID])
            #expect(try context.count(FetchRequest<ManagedObject>("Book")) == 1)
            try stored.setValue(3, forKey: "pages")
            try context.save()
            #expect(twins.map(context.survivor) == [nil, nil])
        }
    }

    @Test("a changed object with another's unique value gets its old value back, or the other is deleted")
    func changedObject() throws {
        for (kind, names) in [
            (MergePolicy.Kind.rollback, ["Ann", "Bea"]), (.mergeByPropertyStoreTrump, ["Ann", "Bea"]),
            (.mergeByPropertyObjectTrump, ["Ann"]), (.overwrite, ["Ann"]),
        ] {
            let world = try World()
            try world.run { context in
                for name in ["Ann", "Bea"] {
                    try context.insert("User").setValue(.string(name), forKey: "name")
                }
                try context.save()
                context.mergePolicy = MergePolicy(kind)
                var request = FetchRequest<ManagedObject>("User")
                request.sortDescriptors = [ObjectSortDescriptor("name")]
                try context.fetch(request)[1].setValue("Ann", forKey: "name")
                try context.save()
                let found = try context.fetch(request).map { try $0.value(forKey: "name") }
                #expect(found == names.map(Value.string), "\(kind)")
            }
        }
    }
}
