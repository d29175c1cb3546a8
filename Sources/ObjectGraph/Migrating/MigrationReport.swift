// SPDX-License-Identifier: Apache-2.0

// What a migration has done to a store, or would do.

/// What a migration has done, stage by stage.
public struct MigrationReport: Hashable, Sendable {
    /// One stage, between two versions.
    public struct Stage: Hashable, Sendable {
        /// In the order of the new version's entities, followed by those whose objects are deleted.
        public var entities: [EntityResult]
        /// The values and references that no property of the new version continues, without empty ones.
        public var losses: [Loss]
        /// Objects that break a rule of the new version that the old one didn't have.
        public var violations: [Violation]
        /// The objects that the stage's closures have changed.
        public package(set) var edits = Edits()

        /// Records how many objects of an entity of the old version a filter excludes.
        package mutating func exclude(_ count: Int, of formerName: String) {
            guard let place = entities.firstIndex(where: { $0.formerName == formerName }) else { return }
            entities[place].excludedCount = count
        }

        /// The number of objects whose rows are written.
        package var rewrittenCount: Int {
            entities.reduce(0) { $0 + ($1.outcome == .rewritten ? $1.objectCount ?? 0 : 0) }
        }

        package init(entities: [EntityResult] = [], losses: [Loss] = [], violations: [Violation] = []) {
            self.entities = entities
            self.losses = losses
            self.violations = violations
        }
    }

    /// What became of the objects of one entity.
    public struct EntityResult: Hashable, Sendable {
        public enum Outcome: String, Hashable, Sendable {
            /// The rows are as they were.
            case kept
            /// Each row was written.
            case rewritten
            /// All objects were deleted.
            case deleted
        }

        /// The name in the new version, or in the old one if the objects were deleted.
        public let name: String
        /// The name in the old version.
        public let formerName: String
        public let outcome: Outcome
        /// The number of objects; nil if they were kept and not counted.
        public let objectCount: Int?
        /// The number of objects that were deleted because a rule's filter excludes them.
        public package(set) var excludedCount = 0

        package init(name: String, formerName: String, outcome: Outcome, objectCount: Int?) {
            self.name = name
            self.formerName = formerName
            self.outcome = outcome
            self.objectCount = objectCount
        }
    }

    /// The numbers of objects that closures have inserted, updated and deleted.
    public struct Edits: Hashable, Sendable {
        public package(set) var inserted = 0
        public package(set) var updated = 0
        public package(set) var deleted = 0

        package init(inserted: Int = 0, updated: Int = 0, deleted: Int = 0) {
            self.inserted = inserted
            self.updated = updated
            self.deleted = deleted
        }

        package static func += (edits: inout Edits, others: Edits) {
            edits.inserted += others.inserted
            edits.updated += others.updated
            edits.deleted += others.deleted
        }
    }

    /// Values of a property that are lost.
    public struct Loss: Hashable, Sendable {
        /// The entity and the property in the old version.
        public let entity: String
        public let property: String
        /// The number of objects that had a value, or of references that are lost.
        public let objectCount: Int

        package init(entity: String, property: String, objectCount: Int) {
            self.entity = entity
            self.property = property
            self.objectCount = objectCount
        }
    }

    /// Objects that break a rule.
    public struct Violation: Hashable, Sendable {
        public let entity: String
        /// The property, or those of a uniqueness constraint.
        public let properties: [String]
        /// What is wrong with the first object.
        public let message: String
        public let objectCount: Int
        /// The numbers of the first objects.
        public let examples: [Int64]
        /// Whether the store can't be migrated while there are such objects.
        public let isObstacle: Bool

        package init(
            entity: String,
            properties: [String],
            message: String,
            objectCount: Int,
            examples: [Int64],
            isObstacle: Bool = false
        ) {
            self.entity = entity
            self.properties = properties
            self.message = message
            self.objectCount = objectCount
            self.examples = examples
            self.isObstacle = isObstacle
        }
    }

    public var stages: [Stage]

    package init(stages: [Stage] = []) {
        self.stages = stages
    }

    /// Whether nothing is lost.
    public var isLossless: Bool {
        stages.allSatisfy { stage in
            stage.losses.isEmpty
                && stage.entities.allSatisfy {
                    ($0.outcome != .deleted || $0.objectCount == 0) && $0.excludedCount == 0
                }
        }
    }

    /// The violations because of which the store can't be migrated.
    public var obstacles: [Violation] { stages.flatMap(\.violations).filter(\.isObstacle) }
}

extension MigrationReport {
    /// Why a migration that came to this must be taken back, with a remedy; nil if it needn't be.
    package func reason(against mode: MigrationMode) -> (message: String, hint: String)? {
        if mode == .rehearsal { return nil }
        if !obstacles.isEmpty {
            return (
                obstacles.map(\.sentence).joined(separator: " "),
                "Change these objects with the version of the model that the store has now, or drop the constraint."
            )
        }
        guard mode == .lossless, !isLossless else { return nil }
        let lost = stages.flatMap { stage in
            stage.losses.map { "\($0.entity).\($0.property) of \($0.objectCount.objects)" }
                + stage.entities.filter { $0.outcome == .deleted && $0.objectCount != 0 }
                .map { "\(($0.objectCount ?? 0).objects) of \($0.name)" }
                + stage.entities.filter { $0.excludedCount > 0 }.map {
                    "\($0.excludedCount.objects) of \($0.formerName)"
                }
        }
        return (
            "The migration would lose \(lost.joined(separator: ", ")).",
            "`outcrop migrate` does it, and keeps a copy of the store as it was."
        )
    }
}

extension MigrationReport.Violation {
    /// Objects with the same values of a new uniqueness constraint; nil if there are none.
    ///
    /// - Parameter objects: The numbers of all such objects.
    package init?(entity: String, sharing properties: [String], objects: [Int64]) {
        guard !objects.isEmpty else { return nil }
        self.init(
            entity: entity,
            properties: properties,
            message: "\(properties.joined(separator: " and ")) must be unique.",
            objectCount: objects.count,
            examples: Array(objects.prefix(Self.exampleLimit)),
            isObstacle: true
        )
    }

    package static let exampleLimit = 5

    /// “3 objects of Author break a rule of the new version: email must be unique. (Author/1, Author/4, Author/7)”
    public var sentence: String {
        let objects = objectCount == 1 ? "1 object of \(entity) breaks" : "\(objectCount) objects of \(entity) break"
        let rest = objectCount > examples.count ? ", …" : ""
        let names = examples.map { "\(entity)/\($0)" }.joined(separator: ", ")
        return "\(objects) a rule of the new version: \(message) (\(names)\(rest))"
    }
}

extension Int {
    fileprivate var objects: String { self == 1 ? "1 object" : "\(self) objects" }
}
