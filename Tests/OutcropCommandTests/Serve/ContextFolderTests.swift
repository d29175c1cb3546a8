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
}
