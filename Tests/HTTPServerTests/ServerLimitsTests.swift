// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Testing

@Suite("A server's limits")
struct ServerLimitsTests {
    @Test("leave room for long predicates in a target")
    func requestLine() { #expect(ServerLimits().requestLine >= 8 * 1024) }
}
