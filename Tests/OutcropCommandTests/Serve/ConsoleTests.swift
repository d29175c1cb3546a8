// SPDX-License-Identifier: Apache-2.0

// The embedded console.

import Foundation
import HTTPServer
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Console")
struct ConsoleTests {
    private static let folder = Checkout.path + "/Console"

    @Test("the program embeds exactly the files of the folder Console, as they are")
    func files() throws {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: Self.folder).filter { path in
            let isFolder = (try? FileManager.default.contentsOfDirectory(atPath: Self.folder + "/" + path)) != nil
            let names = path.split(separator: "/")
            return !isFolder && names.last != "README.md" && !names.contains { $0.hasPrefix(".") }
        }
        #expect(Console.files.keys.sorted() == paths.sorted(), "Run Sources/CConsole/list.")
        for (path, bytes) in Console.files {
            #expect(bytes == Array(try Data(contentsOf: URL(filePath: Self.folder + "/" + path))), "\(path)")
        }
    }

    @Test("the console is served, unless a folder replaces it or it is switched off")
    func choice() throws {
        var settings = ServeSettings()
        settings.demo = true
        #expect(settings.servedPages == .console)
        #expect(try settings.pages() != nil)
        settings.publicFolder = Self.folder
        #expect(settings.servedPages == .folder(Self.folder, hasPage: true))
        settings.publicFolder = Checkout.path + "/Config"
        #expect(settings.servedPages == .folder(Checkout.path + "/Config", hasPage: false))
        settings.noConsole = true
        #expect(settings.servedPages == .none)
        #expect(try settings.pages() == nil)
        let result = Program.run(
            ["serve", "--demo", "--store", "memory:", "--no-console", "--public", ".", "--check"],
            on: .plain
        )
        #expect(
            result.output
                == "error: --public: The folder isn't served with noConsole. Omit --public or --no-console."
        )
    }

    @Test("the log says where the page is, or why there is none")
    func line() {
        let addresses: [ListenAddress] = [.unix(path: "/run/o.sock"), .tcp(host: "127.0.0.1", port: 8080)]
        func line(_ pages: ServedPages) -> String { pages.line(at: addresses, isSecure: true) }
        #expect(line(.console) == "The console is at https://127.0.0.1:8080/.")
        #expect(line(.folder("Site", hasPage: true)) == "The page of Site is at https://127.0.0.1:8080/.")
        #expect(line(.folder("Site", hasPage: false)) == "There is no page at /: Site has no index.html.")
        #expect(line(.none) == "There is no console: --no-console.")
        #expect(
            ServedPages.console.line(at: [.unix(path: "/run/o.sock")], isSecure: false)
                == "The console needs an address that browsers can open, such as --listen 127.0.0.1:8080."
        )
    }
}
