// SPDX-License-Identifier: Apache-2.0

// The result of a fetch request, kept up to date, with changes that lists can apply.

import Basics
import Predicates

/// The objects of a request in order and in sections, updated with all changes of their context.
///
///     let controller = try FetchedResultsController(request: request, context: context, sectionNameKeyPath: "category")
///     controller.onChange = { changes in list = changes.applying(to: list) }
///     try controller.performFetch()
///
/// From the first fetch on the context retains the controller, until `stop()` is called or the context ends.
public final class FetchedResultsController<Object: ManagedObject> {
    public let request: FetchRequest<Object>
    public let sectionNameKeyPath: String?
    /// Called after each event of the context that changed the results, with the new state in place.
    public var onChange: ((FetchedResultsChanges) -> Void)?
    /// Called if a change could not be applied. The objects stay as they were; the next event fetches them again.
    public var onFailure: ((GraphError) -> Void)?

    private let context: ManagedObjectContext
    let evaluator: FetchedResultsEvaluator
    private var observation: ContextObservation?
    /// The objects in order, and the sections.
    private(set) var order: [FetchedResultsEntry] = []
    private(set) var layout = FetchedResultsLayout()
    private(set) var entries: [ManagedObject: FetchedResultsEntry] = [:]
    private var lastSerial = 0
    private var isStale = false

    /// - Parameter sectionNameKeyPath: The value that objects of a section share; the first sort descriptor must keep
    ///   them together. Without it there is one section.
    public init(
        request: FetchRequest<Object>,
        context: ManagedObjectContext,
        sectionNameKeyPath: String? = nil
    ) throws(GraphError) {
        self.request = request
        self.context = context
        self.sectionNameKeyPath = sectionNameKeyPath
        evaluator = try FetchedResultsEvaluator(request, sectionNameKeyPath: sectionNameKeyPath, in: context.model)
    }

    /// Fetches the objects, and observes changes from now on. It doesn't call `onChange`.
    public func performFetch() throws(GraphError) {
        let fetched = try fetched(matching: { _ in nil })
        let layout = FetchedResultsLayout(fetched, hasSections: sectionNameKeyPath != nil)
        guard !layout.isScattered else { throw .scatteredSections(sectionNameKeyPath ?? "", request.entityName) }
        order = fetched
        self.layout = layout
        index()
        isStale = false
        guard observation == nil else { return }
        observation = context.observeChanges { changes in self.follow(changes) }
    }

    /// Traps outside the closure that the context belongs to.
    func checkConfinement() { context.confinement.check() }

    /// Ends observing the context.
    public func stop() {
        if let observation { context.remove(observation) }
        observation = nil
    }

    // MARK: Following

    private func follow(_ changes: ObjectsDidChange) {
        do {
            if isStale || changes.invalidatesAll || changes.isIncomplete || !evaluator.isLocal {
                try refetch(changes)
            } else {
                try update(changes)
            }
            isStale = false
        } catch {
            isStale = true
            onFailure?(error)
        }
    }

    /// Updates the list from the objects of the event alone.
    private func update(_ changes: ObjectsDidChange) throws(GraphError) {
        let touched = OrderedMembers(changes.touched + changes.deleted).filter(evaluator.concerns)
        try context.fire(touched.filter { $0.context === context })
        let keys = try touched.map { object throws(GraphError) in try evaluator.key(of: object, in: context) }
        var updated: Set<ManagedObject> = []
        var leaving: Set<ManagedObject> = []
        var coming: [FetchedResultsEntry] = []
        for (object, key) in zip(touched, keys) {
            switch (entries[object], key) {
            case (nil, nil): break
            case (nil, let key?):
                coming.append(entry(object, key))
                entries[object] = coming.last
            case (.some, nil):
                leaving.insert(object)
                entries[object] = nil
            case (let entry?, let key?):
                updated.insert(object)
                guard entry.key != key else { break }
                leaving.insert(object)
                coming.append(entry)
                entry.key = key
            }
        }
        guard !updated.isEmpty || !leaving.isEmpty || !coming.isEmpty else { return }
        guard !leaving.isEmpty || !coming.isEmpty else { return replace(by: order, updated: updated) }
        let staying = leaving.isEmpty ? order : order.filter { !leaving.contains($0.object) }
        replace(by: evaluator.merging(coming, into: staying), updated: updated)
    }

    private func refetch(_ changes: ObjectsDidChange) throws(GraphError) {
        // After a reset the objects are recreated for the same rows.
        let known =
            changes.invalidatesAll || isStale
            ? Dictionary(keepingFirst: order.map { ($0.object.objectID, $0) }) : [:]
        var updated = Set(changes.touched)
        let after = try fetched { object in
            if let entry = entries[object] { return entry }
            guard let entry = known[object.objectID] else { return nil }
            updated.insert(object)
            entry.object = object
            return entry
        }
        replace(by: after, updated: updated)
        index()
    }

    /// Fetches the objects, reusing their existing entries.
    private func fetched(
        matching known: (ManagedObject) -> FetchedResultsEntry?
    ) throws(GraphError) -> [FetchedResultsEntry] {
        let objects = try context.fetch(request)
        try context.fire(objects)
        let keys = try objects.map { object throws(GraphError) in try evaluator.orderKey(of: object) }
        let fetched = zip(objects, keys).map { object, key in
            guard let known = known(object) else { return entry(object, key) }
            known.key = key
            return known
        }
        guard evaluator.isLocal else { return fetched }
        // Objects that are equal by all descriptors are in the store's order, which they keep from now on.
        for entry in fetched { entry.serial = nextSerial() }
        return evaluator.isSorted(fetched) ? fetched : evaluator.sorted(fetched)
    }

    private func replace(by after: [FetchedResultsEntry], updated: Set<ManagedObject>) {
        let next = FetchedResultsLayout(after, hasSections: sectionNameKeyPath != nil)
        let changes = FetchedResultsChanges(from: order, layout, to: after, next, updated: updated)
        order = after
        layout = next
        if !changes.isEmpty { onChange?(changes) }
    }

    private func index() {
        entries = Dictionary(keepingFirst: order.map { ($0.object, $0) })
    }

    private func entry(_ object: ManagedObject, _ key: FetchedResultsKey) -> FetchedResultsEntry {
        FetchedResultsEntry(object, key, serial: nextSerial())
    }

    private func nextSerial() -> Int {
        lastSerial += 1
        return lastSerial
    }
}
