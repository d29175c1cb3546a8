// SPDX-License-Identifier: Apache-2.0

// Refreshes objects of an editing context.

import HTTPMessage
import JSON
import ObjectGraph

extension EditingContext {
    /// Refreshes some objects or all.
    func refresh(_ plan: RefreshPlan, recorder: AnswerRecorder?) throws -> Reply {
        try step(recorder) { [self] context in
            let named = try plan.targets.map { try objects($0, in: context) }
            // Marks conflicts even in a context that doesn't merge automatically.
            let keepsBase = context.mergesKeepBase
            context.mergesKeepBase = false
            defer { context.mergesKeepBase = keepsBase }
            guard let named else {
                if !plan.mergesChanges { context.rollback() }
                return try context.mergeAll()
            }
            try context.refresh(named, mergingChanges: plan.mergesChanges)
        }
    }

    /// The objects that a body names. Reports all missing ones together.
    private func objects(
        _ targets: [RefreshPlan.Target],
        in context: ManagedObjectContext
    ) throws -> [ManagedObject] {
        var findings = Findings()
        var objects: [ManagedObject] = []
        for target in targets {
            do {
                objects.append(context.object(with: try api.row(target.object, from: context).objectID))
            } catch let problem as Problem where problem.code == .notFound {
                findings.add(.reference, "There is no object \(target.object.name.shortened).", at: target.place)
            }
        }
        try findings.check()
        return objects
    }
}
