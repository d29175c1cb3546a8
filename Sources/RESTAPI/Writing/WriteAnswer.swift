// SPDX-License-Identifier: Apache-2.0

// What is answered to a plan, but for the rows: a value that may go where no context can.

import HTTPMessage
import JSON
import ObjectGraph

struct WriteAnswer: Sendable {
    private let plan: WritePlan
    private let catalogue: Catalogue
    private let status: HTTPStatus
    private let isDraft: Bool

    init(_ attempt: WriteAttempt) {
        (plan, catalogue, status) = (attempt.plan, attempt.api.catalogue, attempt.status)
        isDraft = attempt.isDraft
    }

    /// Whether nobody wants to see the objects.
    var isMinimal: Bool {
        let returning = plan.preferences.returning
        return returning.contains(.minimal) && !returning.contains(.changes)
    }

    func object(_ row: Snapshot) -> ObjectDTO {
        ObjectDTO(row: row, shape: catalogue.shapes[row.objectID.entity.index])
    }

    func tag(_ row: Snapshot) -> String {
        guard isDraft else { return row.tag(of: catalogue.shapes[row.objectID.entity.index]) }
        var buffer = JSONBuffer()
        buffer.write(object(row), in: catalogue)
        return row.draftTag(with: buffer.bytes).description
    }

    /// - Parameters:
    ///   - written: What is told besides the objects.
    ///   - rows: Those of the objects that are answered, as they are now.
    ///   - status: The status, where it isn't the plan's own.
    func reply(_ written: WrittenDTO, _ rows: [Snapshot?], status: HTTPStatus? = nil) -> Reply {
        var (written, reply) = (written, Reply(.none, status: status ?? self.status))
        // What a dry run shows is nowhere to be had.
        if case .object = plan.answer, !plan.isDryRun, let row = rows.first ?? nil {
            reply.fields[.etag] = tag(row)
            if reply.status == .created {
                reply.fields[.location] = "\(catalogue.path)\(catalogue.reference(to: row.objectID))"
            }
        }
        switch plan.answer {
        case .deletion: break
        case .object: if let row = rows.first ?? nil { written.content = .object(object(row)) }
        case .list: written.content = .list(rows.map { $0.map(object) })
        case .operations: written.content = .operations(rows.map { $0.map(object) })
        }
        if isMinimal, case .operations = plan.answer, !plan.isDryRun, !written.ids.isEmpty {
            // Whoever has given temporary names learns from nowhere else what they stand for.
            written.content = .names
            reply.content = .written(written)
        } else if isMinimal {
            if reply.status == .ok { reply.status = .noContent }
        } else if reply.status != .noContent {
            reply.content = .written(written)
        }
        if let applied = plan.preferences.applied { reply.fields[.preferenceApplied] = applied }
        return reply
    }
}

extension Preferences {
    /// What of it was heeded, as the answer says.
    fileprivate var applied: String? {
        let returned: [Return] =
            returning.contains(.changes) ? [.changes] : returning.sorted { $0.rawValue < $1.rawValue }
        let applied = returned.map { "return=\($0.rawValue)" } + (merge.map { ["merge=\($0.rawValue)"] } ?? [])
        return applied.isEmpty ? nil : applied.joined(separator: ", ")
    }
}
