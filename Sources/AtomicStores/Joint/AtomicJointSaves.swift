// SPDX-License-Identifier: Apache-2.0

// What a store that is in memory as a whole knows of saves into several stores, and how that stands in its file.

import FoundationEssentials
import ObjectGraph
import Predicates

struct AtomicJointSaves: Sendable {
    /// The saves that the store has decided, with their followers.
    var decided: [UUID: [UUID]] = [:]
    /// The save that the store has last been a follower of: its content has it.
    var latest: UUID?
    /// The save whose prepared file was decided, and could not be put in place.
    var uncommitted: UUID?
    /// One whose prepared file is there, and of which nothing is known.
    var undecided: JointSave?

    /// The save that a file was prepared for, as it is told by the file.
    private(set) var prepared: JointSave?

    init() {}
}

extension AtomicJointSaves {
    /// Where they are among the metadata of a file, of which nobody else sees them.
    static let key = "OutcropJointSaves"

    /// Takes what the metadata of a file have of it out of them.
    init(taking metadata: inout StoreMetadata) {
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

    /// The metadata as a file has them.
    ///
    /// - Parameter save: What the file is prepared for.
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
