// SPDX-License-Identifier: Apache-2.0

// The folder in which the program stores its clients' drafts.

import Foundation
import TestSupport
import Testing

@Suite("Folder of editing contexts")
struct ContextFolderTests {
    @Test("a context folder is locked by one server until it has ended")
    func locking() throws {
        try Checkout.withFolder { folder in
            let server = try ServerProcess(in: folder)
            _ = try server.address()
            let second = try ServerProcess(in: folder, isAwaited: false)
            #expect(second.end() != 0)
            let text = try ServerProcess.refusal(["--listen", "127.0.0.1:0", "--store", folder + "/Demo.sqlite"])
            #expect(text.contains("Demo.sqlite-contexts"), "\(text)")
            #expect(text.contains(") serves this store, and keeps its editing contexts in "), "\(text)")
            #expect(text.contains("Another server (process \(server.number), "), "\(text)")
            try Checkout.remove(server.log)
            let elsewhere = try ServerProcess(
                in: folder,
                ["--listen", "127.0.0.1:0", "--context-folder", folder + "/elsewhere"]
            )
            for running in [server, elsewhere] {
                running.signal(SIGTERM)
                #expect(running.end() == 0)
            }
            try Checkout.remove(server.log)
            let third = try ServerProcess(in: folder)
            third.signal(SIGTERM)
            #expect(third.end() == 0)
        }
    }

    @Test("a read-only server creates no folder beside its stores, unless one is named")
    func readOnly() throws {
        try Checkout.withFolder { folder in
            let store = folder + "/Demo.sqlite"
            let writing = try ServerProcess(in: folder, serving: ["--demo", "--demo-size", "10", "--store", store])
            writing.signal(SIGTERM)
            #expect(writing.end() == 0)
            let contexts = store + "-contexts"
            try Checkout.remove(contexts)
            for named in [nil, folder + "/named"] {
                try Checkout.remove(writing.log)
                let options = ["--listen", "127.0.0.1:0"] + (named.map { ["--context-folder", $0] } ?? [])
                let reading = try ServerProcess(in: folder, serving: ["--store", store, "--read-only"], options)
                reading.signal(SIGTERM)
                #expect(reading.end() == 0)
                #expect(!FileManager.default.fileExists(atPath: contexts))
            }
            #expect(FileManager.default.fileExists(atPath: folder + "/named"))
        }
    }
}
