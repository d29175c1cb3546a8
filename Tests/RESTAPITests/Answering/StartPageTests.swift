// SPDX-License-Identifier: Apache-2.0

// The console, as far as its text can be checked.

import FoundationEssentials
import TestSupport
import Testing

@Suite("Console")
struct StartPageTests {
    /// The paths of its modules, such as `data/page.js`.
    private let modules: [String]

    init() throws {
        let folder = Checkout.path + "/Console"
        modules = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".js") }.sorted()
    }

    @Test("the start page loads one module, and nothing from elsewhere")
    func page() throws {
        let page = try Checkout.text(of: "Console/index.html")
        #expect(page.contains(#"<script type="module" src="app.js"></script>"#))
        #expect(page.matches(of: /<script/).count == 1)
        #expect(!page.contains("http") && !page.contains("style=") && !page.contains("onclick="))
    }

    @Test("each module imports modules that there are")
    func imports() throws {
        #expect(modules.count > 20)
        for module in modules {
            let text = try Checkout.text(of: "Console/" + module)
            let folder = module.split(separator: "/").dropLast()
            for match in text.matches(of: /(?:from |import\()"(\.[^"]+)"/) {
                var parts = folder.map(String.init)
                for part in match.1.split(separator: "/") where part != "." {
                    if part == ".." { parts.removeLast() } else { parts.append(String(part)) }
                }
                #expect(modules.contains(parts.joined(separator: "/")), "\(module): \(match.1)")
            }
        }
    }

    @Test("modules never make elements of text, and never read answers with functions that round numbers")
    func text() throws {
        for module in modules {
            let text = try Checkout.text(of: "Console/" + module)
            for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", ".json()"] {
                #expect(!text.contains(word), "\(module) has \(word)")
            }
            // The reader itself uses it for strings and literals, and the settings of the browser are the console's own.
            if module != "json.js", module != "memory.js" { #expect(!text.contains("JSON.parse"), "\(module)") }
        }
    }
}
