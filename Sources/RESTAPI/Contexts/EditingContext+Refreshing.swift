// SPDX-License-Identifier: Apache-2.0

// Reading objects of an editing context anew.

import HTTPMessage
import JSON
import ObjectGraph

extension EditingContext {
    /// Reads objects anew, or all.
    func refresh(_ plan: RefreshPlan, _ keeping: AnswerKeeping?) throws -> Reply {
        try step(keeping) { [self] context in
            let named = try plan.targets.map { try objects($0, in: context) }
            // What was edited on both sides is marked, be it a context that merges by itself or not.
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

    /// The objects that a body names. All that aren't there are told at once.
    private func objects(
        _ targets: [RefreshPlan.Target],
        in context: ManagedObjectContext
    ) throws -> [ManagedObject] {
        var findings = Findings()
        var objects: [ManagedObject] = []
        for target in targets {
            do {
                objects.append(context.object(with: try api.row(target.object, context).objectID))
            } catch let problem as Problem where problem.code == .notFound {
                findings.add(.reference, "There is no \(target.object.name.shortened).", at: target.place)
            }
        }
        try findings.check()
        return objects
    }
}
