// SPDX-License-Identifier: Apache-2.0

// Calls that hooks and observers must not make, since the context is calling them.

extension ManagedObjectContext {
    /// Throws if a hook or an observer makes a call that must not begin while it runs.
    ///
    /// - Parameter call: The call, such as `save()`.
    func checkReentrance(of call: String) throws(GraphError) {
        if deletionHooks.isRunning { throw .reentrant(call, within: "prepareForDeletion()") }
        if isAwakening { throw .reentrant(call, within: "awakeFromFetch()") }
        if validation != nil { throw .reentrant(call, within: "a validator") }
        if isSaving { throw .reentrant(call, within: "a hook or an observer of a save") }
    }

    /// Whether a call that can't throw may begin. If not, its caller does nothing, and the enclosing call throws the
    /// error.
    func mayBegin(_ call: String) -> Bool {
        do throws(GraphError) {
            try checkReentrance(of: call)
            return true
        } catch {
            deferredErrors.record(error)
            return false
        }
    }

    /// Runs a save, during which hooks and observers can't begin another one.
    func saving<Result>(_ call: String, _ body: () throws(GraphError) -> Result) throws(GraphError) -> Result {
        confinement.check()
        try checkReentrance(of: call)
        isSaving = true
        defer { isSaving = false }
        return try body()
    }

    /// Calls an object's `prepareForDeletion()`, unless it is deleted or being deleted, and deletes it.
    ///
    /// - Parameter isConsequence: Whether it follows from the deletion of another object. A deletion that was asked for
    ///   before stays one.
    func prepareAndDelete(_ object: ManagedObject, isConsequence: Bool = false) {
        let wasDeleted = object.isDeleted
        prepare(object)
        while let next = deletionHooks.dequeueWaiting() { prepare(next) }
        if !isConsequence {
            object.status.remove(.consequence)
        } else if !wasDeleted {
            object.status.insert(.consequence)
        }
    }

    private func prepare(_ object: ManagedObject) {
        guard !object.isDeleted, registered[object.objectID] === object else { return }
        guard object.hasHooks else { return recordDeletion(of: object) }
        guard deletionHooks.begin(object) else { return }
        object.prepareForDeletion()
        deletionHooks.end()
        markDeleted(object)
    }

    /// Records an inserted or restored object, for the limit of hooks that insert endlessly. The error is also deferred
    /// to the save, since a hook may ignore it.
    func recordInsertion(of object: ManagedObject) throws(GraphError) {
        do throws(GraphError) {
            try deletionHooks.insert(object)
        } catch {
            deferredErrors.record(error)
            throw error
        }
    }
}

extension GraphError {
    /// A call made from a callback that it would have to wait for.
    static func reentrant(_ call: String, within place: String, hint: String? = nil) -> GraphError {
        GraphError(
            .reentrant,
            "\(call) was called within \(place).",
            hint: hint ?? "Only change objects there, and call it afterwards."
        )
    }
}
