// SPDX-License-Identifier: Apache-2.0

// Stages that don't follow from each other.

import ObjectModel

/// The stages of a migration don't lead from one version to another.
public struct MigrationOrderError: Error, Hashable, Sendable, CustomStringConvertible {
    public let message: String

    public var description: String { message }

    private init(_ message: String) {
        self.message = message
    }

    static let noStages = MigrationOrderError("A migration needs at least one stage.")

    /// Why a stage can't follow another, given their numbers; nil if it can.
    init?(_ stage: MigrationStage, number: Int, after former: MigrationStage) {
        let expected = former.new.model.versionHashes()
        let found = stage.old.model.versionHashes()
        let names = Set(expected.keys).union(found.keys).filter { expected[$0] != found[$0] }.sorted()
        guard !names.isEmpty else { return nil }
        let list = names.prefix(10).joined(separator: ", ") + (names.count > 10 ? " and more" : "")
        self.init(
            "Stage \(number) begins with another version than stage \(number - 1) ends with; they differ in \(list)."
        )
    }
}
