// SPDX-License-Identifier: Apache-2.0

// A request as its server hands it on.

public struct HTTPRequest: Sendable {
    public var method: HTTPMethod
    /// The path and the query as they were sent.
    public var target: String
    public var fields: HeaderFields
    public var body: HTTPRequestBody
    /// Who sent it: an address, or the name of a socket.
    public var client: String
    /// Whether it came in where this machine alone can connect, as at a loopback address or a Unix socket.
    public var isLocal: Bool
    /// Whether anybody still wants an answer.
    public var cancellation: HTTPCancellation
    /// How long it has waited for a worker, after all of it was there.
    public var queued = Duration.zero
    /// The memory that the work on it may take.
    public var memory = HTTPMemory.unbounded

    public init(
        _ method: HTTPMethod,
        _ target: String,
        fields: HeaderFields = HeaderFields(),
        body: HTTPRequestBody = .none,
        client: String = "",
        isLocal: Bool = false,
        cancellation: HTTPCancellation = HTTPCancellation()
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
        self.client = client
        self.isLocal = isLocal
        self.cancellation = cancellation
    }
}

/// What came with a request.
public enum HTTPRequestBody: Sendable {
    case none
    /// All of it.
    case bytes([UInt8])
    /// What is read while it comes in.
    case stream(any HTTPBodyReader)
}

/// A request's body that is still coming in. Reading waits, so that it is done by workers.
public protocol HTTPBodyReader: Sendable {
    /// The next bytes, as many as there are; nil at the end. It throws where the client goes away or sends what can't be read.
    func read() throws -> [UInt8]?
}
