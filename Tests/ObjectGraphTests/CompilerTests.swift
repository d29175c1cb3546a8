// SPDX-License-Identifier: Apache-2.0

// Code that must not compile: objects and contexts outside of their closures.

import Foundation
import TestSupport
import Testing

@Suite("Compiler checks of confinement")
struct CompilerTests {
    /// A use of the engine in a function that has a `coordinator`, a `context` and a live context, `live`.
    enum Use: String, CaseIterable, Sendable {
        case returningAnObject = "_ = try coordinator.withContext { try $0.insert(\"Post\") }"
        case keepingAnObject = """
            var kept: ManagedObject?
            try coordinator.withContext { kept = try $0.insert("Post") }
            _ = kept
            """
        case returningTheContext = "_ = try coordinator.withContext { $0 }"
        case returningAnObjectOfALiveContext = "_ = try await live.perform { try $0.insert(\"Post\") }"
        case keepingAnObjectOfALiveContext = """
            var kept: [ManagedObject] = []
            try await live.perform { kept.append(try $0.insert("Post")) }
            _ = kept
            """
        case usingAnObjectInAnotherContext = """
            try coordinator.withContext { context in
                let post = try context.insert("Post")
                try coordinator.withContext { other in other.delete(post) }
            }
            """
        case returningAChildsObject = "_ = try context.withChild { try $0.insert(\"Post\") }"
        case returningAChild = "_ = try context.withChild { $0 }"
        case keepingAChildsObject = """
            var kept: ManagedObject?
            try context.withChild { kept = try $0.insert("Post") }
            _ = kept
            """
        case usingAnObjectInAChild = """
            let post = try context.insert("Post")
            try context.withChild { child in child.delete(post) }
            """
        case usingTheContextInAChild = "try context.withChild { child in try context.save() }"
        case returningAReader = "_ = coordinator.read { $0 }"
        case keepingAReader = """
            var kept: CoordinatorReader?
            coordinator.read { kept = $0 }
            _ = kept
            """
        case usingAnObjectInAReader = """
            let post = try context.insert("Post")
            coordinator.read { reader in _ = post.objectID }
            """
        case usingTheContextInATask = """
            try coordinator.withContext { context in
                Task { try context.save() }
                try context.insert("Post")
                try context.save()
            }
            """
    }

    @Test("the compiler refuses to let an object or a context leave its closure", arguments: Use.allCases)
    func refused(use: Use) throws {
        let (status, output) = try compile(use.rawValue)
        #expect(status != 0)
        #expect(
            output.contains("ManagedObject' to 'Sendable' is unavailable")
                || output.contains("ManagedObjectContext' to 'Sendable' is unavailable")
                || output.contains("concurrently-executing code")
                || output.contains("with non-Sendable type 'ManagedObject'")
                || output.contains("with non-Sendable type 'ManagedObjectContext'")
                || output.contains("risks causing data races")
                || output.contains("type 'CoordinatorReader' does not conform to the 'Sendable' protocol"),
            "\(output)"
        )
    }

    @Test("the compiler lets IDs and values leave the closure")
    func accepted() throws {
        let (status, output) = try compile(
            """
            let id = try coordinator.withContext { context in
                let post = try context.insert("Post")
                try context.save()
                return post.objectID
            }
            let title = try await live.perform { try $0.object(with: id).value(forKey: "title") }
            let titles = try context.withChild { child in
                let post = child.object(with: id)
                return [title, try post.value(forKey: "title")]
            }
            let rows = try coordinator.read { reader in try reader.snapshots(of: [id]) }
            print(titles, rows)
            """
        )
        #expect(status == 0, "\(output)")
    }

    private func compile(_ use: String) throws -> (status: Int32, output: String) {
        try Checkout.withFolder { folder in
            let source = """
                import AtomicStores
                import ObjectGraph

                func use(
                    _ coordinator: PersistentStoreCoordinator,
                    _ context: ManagedObjectContext,
                    _ live: LiveContext
                ) async throws {
                \(use)
                }
                """
            try source.write(toFile: folder + "/Use.swift", atomically: true, encoding: .utf8)
            let products = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            let modules = URL(filePath: products).deletingLastPathComponent().appending(path: "Modules").path
            let process = Process()
            let pipe = Pipe()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments =
                ["swiftc", "-swift-version", "6", "-I", modules] + Checkout.systemModules
                + ["-emit-sil", "-o", folder + "/Use.sil", folder + "/Use.swift"]
            process.standardOutput = pipe
            process.standardError = pipe
            try process.run()
            let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            return (process.terminationStatus, String(decoding: output, as: UTF8.self))
        }
    }
}
