// SPDX-License-Identifier: Apache-2.0

// How requests reach an API: by a call, or through a server and a socket if OUTCROP_TEST_TRANSPORT is `server`.

import FoundationEssentials
import HTTPMessage

@testable import RESTAPI

struct Transport: Sendable {
    static let isServer = ProcessInfo.processInfo.environment["OUTCROP_TEST_TRANSPORT"] == "server"

    private let api: API
    private let server: LiveServer?

    init(_ api: API) throws {
        self.api = api
        server = Self.isServer ? try LiveServer(api) : nil
    }

    func answer(to request: HTTPRequest, statements: () -> Int? = { nil }) throws -> Answer {
        guard let server else { return try Answer(api.respond(to: request), statements: statements()) }
        return try Answer(server.answer(to: request), statements: statements())
    }
}
