// SPDX-License-Identifier: Apache-2.0

// The guide to TLS: its commands make a certificate with which a server can start.

import Foundation
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("docs/tls.md")
struct TLSPageTests {
    @Test("the page's commands make certificates, with which a server can start")
    func commands() throws {
        let blocks = try Page("docs/tls.md").blocks(in: "sh").map(\.text)
        let lines = blocks.flatMap { $0.split(separator: "\n").map(String.init) }
        try Checkout.withFolder { folder in
            for line in lines where line.hasPrefix("openssl ") {
                let shell = Process()
                shell.executableURL = URL(filePath: "/bin/sh")
                shell.arguments = ["-c", line + " 2>errors"]
                shell.currentDirectoryURL = URL(filePath: folder)
                try shell.run()
                shell.waitUntilExit()
                #expect(shell.terminationStatus == 0, "\(line)")
            }
            let serving = lines.filter { $0.hasPrefix("outcrop ") }
            #expect(serving.count == 1)
            for line in serving {
                let words = line.split(separator: " ").dropFirst().map { word in
                    word.hasSuffix(".pem") || word.hasSuffix(".key") ? folder + "/" + word : String(word)
                }
                let result = Program.run(words + ["--demo", "--check"], on: .plain)
                #expect(result.status == .fine, "\(result.output)\(result.errors)")
            }
        }
    }

    @Test("each setting of TLS is on the page")
    func settings() throws {
        let page = try Checkout.text(of: "docs/tls.md")
        for setting in Setting.tls + Setting.all.filter({ $0.key == "hookCa" }) {
            #expect(page.contains("--" + setting.option), "\(setting.key)")
        }
    }
}
