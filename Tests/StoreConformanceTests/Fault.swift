// SPDX-License-Identifier: Apache-2.0

// The faults that a store may have, and the cases that must find them.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates

@testable import StoreConformance

/// One fault of a store.
enum Fault: CaseIterable {
    case none
    case ignoresVersions
    case countsNoVersions
    case bumpsOwners
    case ignoresConstraints
    case refusesNil
    case neverFreesNames
    case savesRowByRow
    case losesSaves
    case takesFewRows
    case answersNothing
    case refusesNothing
    case keepsDeleted
    case keepsMembers
    case dropsOrder
    case movesMembers
    case losesMembers
    case losesToOnes
    case ignoresReferences
    case ignoresNumbers
    case mixesRows
    case lagsBehind
    case leaksGenerations
    case findsEverything
    case findsNothing
    case ignoresSorting
    case ignoresSearches
    case ignoresRelevance
    case ignoresWindow
    case ignoresSubentities
    case choosesNoMembers
    case miscounts
    case nilBecomesEmpty
    case nilBecomesDefault
    case composesText
    case cutsTextAtNUL
    case roundsNumbers
    case inventsTransients
    case derivesNothing
    case repeatsIDs
    case keepsTakenReferences
    case forgetsReferences
    case forgetsMetadata
    case givesTypeAway
    case ignoresReadOnly
    case forgetsNotes
    case overwritesNotes
    case expiresNotes
    case savesBeforeNotes

    /// An attribute's value as the fault changes it.
    func spoiled(_ value: Value, of attribute: AttributeDescription) -> Value {
        switch (self, value) {
        case (.nilBecomesEmpty, .null) where attribute.type == .string: ""
        case (.nilBecomesDefault, .null): attribute.attribute.defaultValue ?? .null
        case (.inventsTransients, _) where attribute.isTransient: "invented"
        case (.derivesNothing, _) where attribute.isDerived: .null
        case (.cutsTextAtNUL, .string(let text)): .string(String(text.prefix { $0 != "\0" }))
        case (.composesText, .string(let text)) where text == "\u{E9}": .string("\u{E9}")
        case (.roundsNumbers, .double(let number)): .double(Double(Float(number)))
        case (.roundsNumbers, .decimal(let number)): .decimal(Decimal(Double(number.description) ?? 0))
        case (.roundsNumbers, .date(let date)):
            .date(Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.rounded()))
        default: value
        }
    }

    /// The cases meant to find the fault. Others may find it too.
    var cases: [ConformanceCase] {
        switch self {
        case .none: []
        case .ignoresVersions:
            [.updateConflicts, .deletionConflicts, .conflictsWithDeleted, .locks, .resolvedConflicts, .allOrNothing]
        case .countsNoVersions: [.versions]
        case .bumpsOwners: [.derivedVersions]
        case .ignoresConstraints:
            [.uniqueAgainstRows, .uniqueWithinSave, .compoundUniqueness, .uniqueAmongSubentities, .violations]
        case .refusesNil: [.nilIsNotUnique]
        case .neverFreesNames: [.freedValues, .deletedOverAgain]
        case .savesRowByRow: [.swappedValues, .allOrNothing]
        case .losesSaves: [.allWritten]
        case .takesFewRows: [.manyRows]
        case .answersNothing: [.savedRows]
        case .refusesNothing: [.emptySave]
        case .keepsDeleted:
            [
                .deletedRows, .nullifying, .cascading, .noAction, .deletedMembers, .deletedWithoutInverse,
                .pairsWithDeleted, .randomSaves,
            ]
        case .keepsMembers: [.enough, .manyToMany, .withoutInverse, .emptiedRelationships]
        case .dropsOrder: [.orderedMembers, .appendedMembers, .orderedOnBothSides, .randomSaves]
        case .movesMembers: [.addedAgain]
        case .losesMembers: [.oneToMany, .selfRelations, .membersOfSeveral, .denying]
        case .ignoresReferences: [.danglingReferences, .newReferrers, .deniedReferrers]
        case .ignoresNumbers: [.tooMany, .tooFew]
        case .losesToOnes: [.oneToOne, .objectPredicates, .leadingNowhere]
        case .mixesRows: [.rowsInOrder, .membersOfSeveral, .text]
        case .lagsBehind: [.noTornReads]
        case .leaksGenerations: [.pinnedGenerations, .severalGenerations, .pinnedWhileWriting]
        case .findsEverything: [.predicates, .objectPredicates]
        case .findsNothing: [.predicates, .everyValueByFetching, .composites]
        case .ignoresSorting: [.sorting, .nilFirst]
        case .ignoresSearches: [.searches]
        case .ignoresRelevance: [.relevance]
        case .ignoresWindow: [.windows]
        case .ignoresSubentities: [.subentities]
        case .choosesNoMembers: [.chosenMembers, .pagesOfMembers]
        case .miscounts: [.kindsOfAnswers, .windows]
        case .nilBecomesEmpty: [.everyValue, .nilOfText]
        case .nilBecomesDefault: [.defaults]
        case .composesText: [.text, .newText, .lookAlikes]
        case .cutsTextAtNUL: [.text]
        case .roundsNumbers: [.everyValue, .changedValues]
        case .inventsTransients: [.transients]
        case .derivesNothing: [.derivedText, .derivedCounts]
        case .repeatsIDs: [.newIDs]
        case .keepsTakenReferences: [.keptReferences, .keptInBatches]
        case .forgetsReferences: [.uris, .references]
        case .forgetsMetadata: [.metadata]
        case .givesTypeAway: [.metadataWithSave]
        case .ignoresReadOnly: [.readOnly]
        case .forgetsNotes: [.notedSaves, .notesOfNothing, .notedBatches, .expiredKeys]
        case .overwritesNotes: [.takenKeys, .expiredKeys]
        case .expiresNotes: [.lastingNotes]
        case .savesBeforeNotes: [.unmadeNotes, .takenKeys]
        }
    }
}
