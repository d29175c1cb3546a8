// SPDX-License-Identifier: Apache-2.0

// One thing that is asked of every store, and how it is run.

import FoundationEssentials

/// One thing that every store must do. Running it throws where a store doesn't.
public struct ConformanceCase: Sendable, CustomStringConvertible {
    /// What the store does, as a sentence.
    public let name: String
    /// What a store must be capable of for this to be asked of it.
    public let needs: Set<StoreKind.Capability>
    private let body: @Sendable (World) async throws -> Void

    init(
        _ name: String,
        needs: Set<StoreKind.Capability> = [],
        _ body: @escaping @Sendable (World) async throws -> Void
    ) {
        self.name = name
        self.needs = needs
        self.body = body
    }

    public var description: String { name }

    /// Runs the case on a new store of a kind, in a folder of its own.
    public func run(on kind: StoreKind) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "outcrop-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(World(kind, in: folder.path))
    }
}

/// A case on a kind of store, as the argument of a test.
///
///     @Test("does what every store does", arguments: ConformanceRun.all(on: [.mine]))
///     func conforms(run: ConformanceRun) async throws { try await run() }
public struct ConformanceRun: Sendable, CustomStringConvertible {
    public let conformanceCase: ConformanceCase
    public let kind: StoreKind

    /// All cases on some kinds of stores, without those that a kind can't do. The thread sanitizer, under which each takes long, is for
    /// those in which threads meet.
    public static func all(on kinds: [StoreKind]) -> [ConformanceRun] {
        let isOfThreads = ProcessInfo.processInfo.environment["OUTCROP_SANITIZER"] == "thread"
        let cases = isOfThreads ? ConformanceCase.generations : ConformanceCase.all
        return kinds.flatMap { kind in
            cases.filter { $0.needs.isSubset(of: kind.capabilities) }
                .map { ConformanceRun(conformanceCase: $0, kind: kind) }
        }
    }

    public func callAsFunction() async throws { try await conformanceCase.run(on: kind) }

    public var description: String { "\(kind): \(conformanceCase)" }
}
