// SPDX-License-Identifier: Apache-2.0

// Executes plans on the object graph: the third of four steps.

import HTTPMessage
import ObjectGraph

extension API {
    /// - Parameter recorder: Stores the answer together with the saved objects.
    func execute(
        _ plan: Plan,
        recorder: AnswerRecorder? = nil,
        under limits: WorkLimits = WorkLimits()
    ) throws(Problem) -> Reply {
        do {
            return try limits.hold {
                switch plan {
                case .object(let plan):
                    try read(pinned: plan.needsSeveralReads) { reader in try read(plan, reader) }
                case .fetch(let plan): try fetch(plan)
                case .live(let plan, let last):
                    try liveQueries.reply(to: plan, after: last, from: coordinator, in: self)
                case .bytes(let plan): try execute(plan)
                case .batch(let plan): try execute(plan, in: .stores(recorder))
                case .write(let plan): try write(plan, recorder: recorder)
                case .answer(let answer): try answer(self, recorder)
                }
            }
        } catch let problem as Problem {
            throw problem
        } catch let error as GraphError {
            throw Problem(error, in: catalogue)
        } catch {
            throw .failed(error)
        }
    }

    /// The row of the object that a path names. The object may have a subentity of the path's.
    func row(_ target: ObjectLocation, from reader: some GraphReading) throws -> Snapshot {
        if let objectID = names.objectID(of: target.resource, key: target.key),
            let row = try reader.snapshots(of: [objectID])[0], row.objectID.entity.isKind(of: target.resource.entity),
            catalogue.shows(row.objectID)
        {
            return row
        }
        throw Problem.notFound(target, hint: catalogue.hint(forKey: target.key, of: target.resource))
    }
}

extension API {
    func assembler<Reader: GraphReading>(_ reader: Reader) -> Assembler<Reader> {
        Assembler(reader: reader, catalogue: catalogue, limit: options.maximumIncludedObjects)
    }
}
