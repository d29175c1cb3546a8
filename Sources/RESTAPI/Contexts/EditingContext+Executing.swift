// SPDX-License-Identifier: Apache-2.0

// Executes plans on the objects of an editing context.

import FoundationEssentials
import HTTPMessage
import ObjectGraph
import Predicates

extension EditingContext {
    /// - Parameters:
    ///   - recorder: Stores the answer of a request with a key.
    ///   - api: The context's API, or the same for clients of another version of the model.
    func execute(
        _ plan: Plan,
        recorder: AnswerRecorder?,
        under limits: WorkLimits,
        in api: API
    ) throws(Problem) -> Reply {
        do {
            return try limits.hold {
                switch plan {
                case .object(let plan): try perform { try api.read(plan, api.narrowed($0)) }
                case .fetch(let plan):
                    try perform { context in
                        plan.format == .json
                            ? try api.fetch(plan, api.narrowed(context))
                            : try api.whole(plan, in: api.narrowed(context))
                    }
                case .live(let plan, let last):
                    try liveQueries.reply(to: plan, after: last, from: self, holding: ContextWatch(self), in: api)
                case .write(let plan): try write(plan, recorder: recorder, in: api)
                case .batch(let plan): try execute(plan, recorder: recorder, in: api)
                case .bytes(let plan): try execute(plan, in: api)
                case .answer(let answer): try answer(api, recorder)
                }
            }
        } catch let problem as Problem {
            throw problem
        } catch let error as GraphError {
            throw Problem(error, in: api.catalogue)
        } catch {
            throw .failed(error)
        }
    }

    private func write(_ plan: WritePlan, recorder: AnswerRecorder?, in api: API) throws -> Reply {
        try answeringDryRuns {
            try change(plan.isDryRun ? nil : recorder) { context in
                let reply = try api.draft(plan, in: context)
                if plan.isDryRun { throw DryRunCompleted(reply: reply) }
                return reply
            }
        }
    }

    private struct DryRunCompleted: Error {
        let reply: Reply
    }

    private func execute(_ plan: BatchPlan, recorder: AnswerRecorder?, in api: API) throws -> Reply {
        // The rules of batches are evaluated on what is stored.
        if api.access != nil { throw Problem.administration }
        return try answeringDryRuns { [self] in
            try change(plan.isDryRun ? nil : recorder) { context in
                let reply = try api.execute(plan, in: .draft(context))
                try api.refuseReadOnlyStores(in: context)
                if plan.isDryRun { throw DryRunCompleted(reply: reply) }
                return reply
            }
        }
    }

    /// Returns the answer of a rehearsal; its changes were reverted.
    private func answeringDryRuns(_ body: () throws -> Reply) throws -> Reply {
        do {
            return try body()
        } catch let rehearsed as DryRunCompleted {
            return rehearsed.reply
        }
    }

    // MARK: Bytes

    private func execute(_ plan: BytesPlan, in api: API) throws -> Reply {
        switch plan.action {
        case .read(let request):
            return try perform { try api.content(plan, in: $0).reply(to: request) }
        case .write(let body):
            let next = body.pieces()
            var bytes: [UInt8] = []
            while let piece = try next() { bytes += piece }
            return try set(.data(Data(bytes)), for: plan, in: api)
        case .remove: return try set(plan.property.stored(.null), for: plan, in: api)
        }
    }

    private func set(_ value: Value, for plan: BytesPlan, in api: API) throws -> Reply {
        try change { context in
            let row = try api.row(plan.target, from: api.narrowed(context))
            let object = context.object(with: row.objectID)
            try plan.check(row, draft: object)
            let attribute = try plan.attribute(of: object.entity)
            try object.setValue(value, of: attribute)
            if let access = api.access { try access.check(attribute, of: object, in: api) }
            context.resolveEditConflict(of: .attribute(attribute), of: object)
            var reply = Reply(.none, status: .noContent)
            reply.fields[.etag] = try context.snapshots(of: [row.objectID])[0]?.draftTag().description
            return reply
        }
    }
}

extension API {
    /// The rows of a fetch in a streaming format, read at once: a context can be read only during its family's turn.
    fileprivate func whole(_ plan: FetchPlan, in context: some GraphReading) throws -> Reply {
        var pages = try FetchPages(plan, in: self, from: context)
        var bytes = try pages.next(context)
        while !pages.isAtEnd {
            bytes += try pages.next(context)
            guard bytes.count <= options.contextMemoryLimit else { throw Problem.tooLong(options.contextMemoryLimit) }
        }
        return Reply(.bytes(bytes, type: plan.format.contentType))
    }

    /// The value of a binary attribute in a context.
    fileprivate func content(_ plan: BytesPlan, in context: ManagedObjectContext) throws -> Content {
        let row = try row(plan.target, from: narrowed(context))
        let attribute = try plan.attribute(of: row.objectID.entity)
        guard case .data(let data) = row.row.attributes[attribute.slot] else {
            throw Problem(.notFound, "“\(plan.property.name)” of “\(catalogue.reference(to: row.objectID))” is null.")
        }
        let type = attribute.contentType(ofBytes: [UInt8](data.prefix(SniffedType.length)))
        var content = Content(
            length: data.count,
            type: type,
            tag: row.draftTag(),
            read: { range in [UInt8](data[data.startIndex + range.lowerBound..<data.startIndex + range.upperBound]) }
        )
        content.fields = fields(of: attribute, object: row.objectID, type: type)
        return content
    }
}

extension Problem {
    fileprivate static func tooLong(_ limit: Int) -> Problem {
        Problem(
            .tooLarge,
            "The list is larger than \(limit) bytes, the limit for a list from an editing context.",
            hint: "Request fewer objects with “limit”, or pages of JSON."
        )
    }
}
