// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StoreConformance

@Suite("Faults that the conformance suite finds")
struct FaultTests {
    @Test("a store with one fault fails the cases that look for it", arguments: Fault.allCases)
    func finding(fault: Fault) async {
        for conformanceCase in fault.cases {
            await #expect(throws: (any Error).self, "“\(conformanceCase)” finds nothing wrong") {
                try await conformanceCase.run(on: FaultyStore.kind(fault))
            }
        }
    }

    @Test(
        "the same store without a fault passes every case",
        arguments: ConformanceRun.all(on: [FaultyStore.kind(.none)])
    )
    func passing(run: ConformanceRun) async throws { try await run() }

    @Test("each case finds a fault")
    func completeness() {
        let finding = Set(Fault.allCases.flatMap(\.cases).map(\.name))
        for conformanceCase in ConformanceCase.all {
            #expect(finding.contains(conformanceCase.name), "Nothing shows that “\(conformanceCase)” can fail.")
        }
    }

    @Test("the names of cases are distinct")
    func names() {
        #expect(Set(ConformanceCase.all.map(\.name)).count == ConformanceCase.all.count)
    }
}
