// SPDX-License-Identifier: Apache-2.0

// What the suite has to know of a kind of store to run on it.

public import ObjectGraph

/// A kind of store, and how one of it is opened.
///
///     StoreKind("my own") { model, folder, isReadOnly in
///         try MyStore(path: folder + "/Store", model: model, isReadOnly: isReadOnly)
///     }
public struct StoreKind: Sendable, CustomStringConvertible {
    /// What not every store can do.
    public enum Capability: Hashable, Sendable, CaseIterable {
        /// What was saved is there when the store of a folder is opened again.
        case reopening
        /// A store can be opened for reading alone.
        case readOnly
        case metadata
        case generations
        case uniqueness
        case derivation
        /// Notes are kept with saves.
        case notes
    }

    public typealias Opening =
        @Sendable (
            _ model: ManagedObjectModel,
            _ folder: String,
            _ isReadOnly: Bool
        ) throws -> any PersistentStore

    public let name: String
    public let capabilities: Set<Capability>
    let open: Opening

    /// - Parameter missing: what the store can't do; cases that need it aren't run.
    /// - Parameter open: opens the store of a folder, which is empty the first time.
    public init(_ name: String, without missing: Set<Capability> = [], open: @escaping Opening) {
        self.name = name
        capabilities = Set(Capability.allCases).subtracting(missing)
        self.open = open
    }

    public var description: String { name }
}
