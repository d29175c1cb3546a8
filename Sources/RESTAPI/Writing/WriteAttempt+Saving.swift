// SPDX-License-Identifier: Apache-2.0

// The save of a plan, and what is answered then.

import HTTPMessage
import JSON
import ObjectGraph

extension WriteAttempt {
    /// - Parameter former: The row of the object that goes, for answers that show it.
    func save(_ former: Snapshot?) throws -> Outcome {
        try context.processPendingChanges()
        var saved: ObjectsDidSave?
        let observation = context.observe { if case .didSave(let done) = $0 { saved = done } }
        defer { context.remove(observation) }
        if let witness = NameWitness.current {
            // In the order of the operations, so that the store numbers the objects in it.
            try context.obtainPermanentIDs(
                for: plan.writes.indices.compactMap { plan.writes[$0].isInsertion ? objects[$0] : nil }
            )
            try witness.tell(byName.mapValues { api.catalogue.reference(to: $0.objectID) })
        }
        do throws(GraphError) {
            if let keeping {
                try context.save { () throws(GraphError) in try self.note(keeping) }
            } else {
                try context.save()
            }
        } catch {
            return try outcome(error)
        }
        if let reply = keeping?.reply { return .done(reply) }
        var written = WrittenDTO()
        written.ids = byName.sorted { $0.key < $1.key }.map { ($0.key, $0.value.objectID) }
        if let saved {
            written.changes = try changes(
                inserted: saved.inserted,
                updated: saved.updated,
                deleted: saved.deleted,
                context
            )
        }
        return .done(try reply(&written, former, context))
    }

    /// Refuses a write whose answer would be too large: it can't be left out when all is done.
    func checkAnswerSize() throws {
        guard answered.count > 1, !WriteAnswer(self).isMinimal else { return }
        var size = 0
        for row in try rows(context) { size += row?.roughSizeWithoutBytes ?? 0 }
        guard size > api.options.answerLimit else { return }
        var problem = Problem.answerTooLarge(api.options.answerLimit)
        problem.hint = "“Prefer: return=minimal” leaves the objects out of the answer."
        throw problem
    }

    /// What an error of a save comes to.
    func outcome(_ error: GraphError) throws -> Outcome {
        // The answer that was to be kept could not be made.
        if let problem = error.underlying as? Problem { throw problem }
        switch error.code {
        case .conflict: return .overtaken
        case .constraint: return try settle(error.constraintConflicts)
        default: throw problem(error)
        }
    }

    /// What a save touches besides the objects of the answer; nil where nobody wants to know.
    func changes(
        inserted: [ManagedObject],
        updated: [ManagedObject],
        deleted: [ManagedObject],
        _ reader: some GraphReading
    ) throws -> [WrittenDTO.Change]? {
        guard plan.preferences.returning.contains(.changes) else { return nil }
        let shown = Set(answered.compactMap { objects[$0]?.objectID })
        func changes(_ objects: [ManagedObject], _ kind: WrittenDTO.Change.Kind) throws -> [WrittenDTO.Change] {
            let rows = try reader.snapshots(of: objects.map(\.objectID).filter { !shown.contains($0) })
            return rows.compactMap {
                $0.map { WrittenDTO.Change(objectID: $0.objectID, version: $0.version, kind: kind) }
            }
        }
        let gone = deleted.filter { !shown.contains($0.objectID) }.map {
            WrittenDTO.Change(objectID: $0.objectID, version: $0.rowVersion, kind: .deleted)
        }
        return try changes(inserted, .inserted) + changes(updated, .updated) + gone
    }

    /// The writes whose objects are answered.
    var answered: [Int] {
        switch plan.answer {
        case .object(let index): [index]
        case .list(let indices), .operations(let indices): indices
        case .deletion: [0]
        }
    }

    // MARK: Answers

    /// - Parameter reader: Who has the objects as they are now.
    func reply(_ written: inout WrittenDTO, _ former: Snapshot?, _ reader: some GraphReading) throws -> Reply {
        let answer = WriteAnswer(self)
        guard plan.answer == .deletion, !answer.isMinimal else { return answer.reply(written, try rows(reader)) }
        if !dropped.isEmpty {
            // The row is newer than what was to be deleted, and was to stay then.
            let row = try reader.snapshots(of: objects.compactMap { $0?.objectID }).first ?? nil
            if let row { written.content = .object(answer.object(row)) }
            return answer.reply(written, [], status: .ok)
        }
        let returning = plan.preferences.returning
        if returning.contains(.representation), let former { written.content = .object(answer.object(former)) }
        return answer.reply(written, [], status: returning.isEmpty ? nil : .ok)
    }

    /// 201 where all that was asked for was made, and 200 where some of it was there already.
    var status: HTTPStatus {
        switch plan.answer {
        case .deletion: .noContent
        case .operations: .ok
        case .object, .list:
            !answered.isEmpty && answered.allSatisfy { plan.writes[$0].isInsertion && substitutes[$0] == nil }
                ? .created : .ok
        }
    }

    private func rows(_ reader: some GraphReading) throws -> [Snapshot?] {
        guard plan.answer != .deletion else { return [] }
        let present = answered.map { objects[$0] }
        let objectIDs = present.compactMap { $0.map(\.objectID) }
        let rows = Dictionary(
            zip(objectIDs, try reader.snapshots(of: objectIDs)).compactMap { id, row in row.map { (id, $0) } }
        ) { first, _ in first }
        return present.map { $0.flatMap { rows[$0.objectID] } }
    }
}

extension Snapshot {
    /// The rough size without bytes, of which answers tell only where they are.
    fileprivate var roughSizeWithoutBytes: Int {
        objectID.entity.attributes.reduce(row.roughSize) { size, attribute in
            guard attribute.type == .binary, case .data(let data) = row[attribute] else { return size }
            return size - data.count
        }
    }
}
