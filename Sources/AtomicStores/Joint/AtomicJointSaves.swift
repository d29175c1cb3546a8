// SPDX-License-Identifier: Apache-2.0

// The joint saves of an atomic store, and their representation in its file.

import FoundationEssentials
import ObjectGraph
import Predicates

struct AtomicJointSaves: Sendable {
    /// The saves that this store has decided, with their followers.
    var decided: [UUID: [UUID]] = [:]
    /// The last save in which this store was a follower; its content includes it.
    var latest: UUID?
    /// A decided save with a prepared file that could not be renamed.
    var uncommitted: UUID?
    /// A save with a prepared file and an unknown decision.
    var undecided: JointSave?

    /// The save that a file was prepared for, according to the file.
    private(set) var prepared: JointSave?

    init() {}
}

extension AtomicJointSaves {
    /// The reserved key in a file's metadata, which is hidden from clients.
    static let key = "OutcropJointSaves"

    /// Removes the joint saves from the metadata of a file.
    init(extractingFrom metadata: inout StoreMetadata) {
        guard case .dictionary(let members)? = metadata.values.removeValue(forKey: Self.key) else { return }
        if case .dictionary(let saves)? = members["decided"] {
            for (identifier, followers) in saves {
                guard let identifier = UUID(uuidString: identifier), case .string(let names) = followers else {
                    continue
                }
                decided[identifier] = names.split(separator: " ").compactMap { UUID(uuidString: String($0)) }
            }
        }
        latest = members["latest"]?.identifier
        if let latest, let store = members["decider"]?.identifier {
            var path: String?
            if case .string(let text)? = members["path"] { path = text }
            prepared = JointSave(identifier: latest, decider: JointSave.Place(store: store, path: path))
        }
    }

    /// Adds the joint saves to the metadata of a file.
    ///
    /// - Parameter save: The save that the file is prepared for.
    func added(to metadata: StoreMetadata, preparing save: JointSave?) -> StoreMetadata {
        var members: [String: Value] = [:]
        if !decided.isEmpty {
            let saves = decided.map { ($0.uuidString, Value.string($1.map(\.uuidString).joined(separator: " "))) }
            members["decided"] = .dictionary(Dictionary(uniqueKeysWithValues: saves))
        }
        if let latest { members["latest"] = .string(latest.uuidString) }
        if let save {
            members["decider"] = .string(save.decider.store.uuidString)
            members["path"] = save.decider.path.map(Value.string)
        }
        guard !members.isEmpty else { return metadata }
        var metadata = metadata
        metadata.values[Self.key] = .dictionary(members)
        return metadata
    }
}

extension Value {
    fileprivate var identifier: UUID? {
        if case .string(let text) = self { UUID(uuidString: text) } else { nil }
    }
}
