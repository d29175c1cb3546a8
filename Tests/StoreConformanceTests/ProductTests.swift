// SPDX-License-Identifier: Apache-2.0

// The suite as other packages get it.

import Foundation
import TestSupport
import Testing

@Suite("The StoreConformance product")
struct ProductTests {
    @Test("the package exports the product, which needs no module of the package's own tests")
    func product() throws {
        let manifest = try Checkout.text(of: "Package.swift")
        #expect(manifest.contains(".library(name: \"StoreConformance\", targets: [\"StoreConformance\"])"))
        let allowed: Set<Substring> = [
            "FoundationEssentials", "ObjectGraph", "ObjectModel", "Predicates", "SeededRandom", "Synchronization",
        ]
        for folder in ["Tests/StoreConformance", "Tests/SeededRandom"] {
            for file in try FileManager.default.subpathsOfDirectory(atPath: Checkout.path + "/" + folder)
            where file.hasSuffix(".swift") {
                let text = try Checkout.text(of: folder + "/" + file)
                let modules = text.matches(of: /(?m)^(?:@\w+ )?(?:public )?import (\w+)/).map(\.1)
                #expect(allowed.isSuperset(of: modules), "\(file) imports \(modules)")
            }
        }
    }
}
