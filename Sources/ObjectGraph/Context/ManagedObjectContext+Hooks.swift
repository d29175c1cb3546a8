// SPDX-License-Identifier: Apache-2.0

// What hooks and observers of a context can't ask of it, since they are called by it.

extension ManagedObjectContext {
    /// Throws where a hook or an observer asks for something that must not begin while it runs.
    ///
    /// - Parameter call: What was asked for, such as `save()`.
    func checkReentrance(of call: String) throws(GraphError) {
        if deletionHooks.isRunning { throw .reentrant(call, within: "prepareForDeletion()") }
        if isAwakening { throw .reentrant(call, within: "awakeFromFetch()") }
        if validation != nil { throw .reentrant(call, within: "a validator") }
        if isSaving { throw .reentrant(call, within: "a hook or an observer of a save") }
    }

    /// Whether something may begin that can't throw. Where it may not, its caller does nothing, and the error is thrown by what goes on.
    func mayBegin(_ call: String) -> Bool {
        do throws(GraphError) {
            try checkReentrance(of: call)
            return true
        } catch {
            deferredErrors.note(error)
            return false
        }
    }

    /// Runs a save, whose hooks and observers can't begin another one.
    func saving<Result>(_ call: String, _ body: () throws(GraphError) -> Result) throws(GraphError) -> Result {
        confinement.check()
        try checkReentrance(of: call)
        isSaving = true
        defer { isSaving = false }
        return try body()
    }

    /// Calls an object's `prepareForDeletion()`, unless it is deleted already or about to be, and deletes it.
    func prepareAndDelete(_ object: ManagedObject) {
        prepare(object)
        while let next = deletionHooks.takeWaiting() { prepare(next) }
    }

    private func prepare(_ object: ManagedObject) {
        guard !object.isDeleted, registered[object.objectID] === object, deletionHooks.begin(object) else { return }
        object.prepareForDeletion()
        deletionHooks.end()
        markDeleted(object)
    }

    /// Takes note of an object that is inserted or comes back, perhaps by a hook that inserts without end. Such a hook may not look
    /// at the error: the save throws it as well.
    func noteInsertion(of object: ManagedObject) throws(GraphError) {
        do throws(GraphError) {
            try deletionHooks.insert(object)
        } catch {
            deferredErrors.note(error)
            throw error
        }
    }
}

extension GraphError {
    /// Something that was asked for by what it would have to wait for.
    static func reentrant(_ call: String, within place: String, hint: String? = nil) -> GraphError {
        GraphError(
            .reentrant,
            "\(call) was called within \(place).",
            hint: hint ?? "Only change objects there, and call it when that is done."
        )
    }
}
