// SPDX-License-Identifier: Apache-2.0

// What the suite needs to know about a kind of store.

public import ObjectGraph

/// A kind of store, and how to open one.
///
///     StoreKind("my own") { model, folder, isReadOnly in
///         try MyStore(path: folder + "/Store", model: model, isReadOnly: isReadOnly)
///     }
public struct StoreKind: Sendable, CustomStringConvertible {
    /// Capabilities that not every store has.
    public enum Capability: Hashable, Sendable, CaseIterable {
        /// Saved content is there when the folder's store is opened again.
        case reopening
        /// A store can be opened read-only.
        case readOnly
        case metadata
        case generations
        case uniqueness
        case derivation
        /// Notes are stored with saves.
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

    /// - Parameter missing: the missing capabilities; cases that need them don't run.
    /// - Parameter open: opens the store of a folder, which is empty the first time.
    public init(_ name: String, without missing: Set<Capability> = [], open: @escaping Opening) {
        self.name = name
        capabilities = Set(Capability.allCases).subtracting(missing)
        self.open = open
    }

    public var description: String { name }
}
