// SPDX-License-Identifier: Apache-2.0

// A requirement for every store, and how it is checked.

import FoundationEssentials

/// A requirement for every store. Running it throws if a store doesn't meet it.
public struct ConformanceCase: Sendable, CustomStringConvertible {
    /// The store's required behaviour, as a sentence.
    public let name: String
    /// The capabilities that a store needs for the case to apply.
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

    /// Runs the case on a new store of a kind, in its own folder.
    public func run(on kind: StoreKind) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "outcrop-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(World(kind, in: folder.path))
    }
}

/// A case on a kind of store, as the argument of a test.
///
///     @Test("my store passes every conformance case", arguments: ConformanceRun.all(on: [.mine]))
///     func conforms(run: ConformanceRun) async throws { try await run() }
public struct ConformanceRun: Sendable, CustomStringConvertible {
    public let conformanceCase: ConformanceCase
    public let kind: StoreKind

    /// All cases on some kinds of stores, except those that need capabilities that the kind lacks. Under the thread
    /// sanitizer, which makes each case slow, only the cases with several threads are included.
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
