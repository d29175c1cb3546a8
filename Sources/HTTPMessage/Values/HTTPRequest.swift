// SPDX-License-Identifier: Apache-2.0

// A request as a server delivers it to an application.

public struct HTTPRequest: Sendable {
    public var method: HTTPMethod
    /// The path and the query as sent.
    public var target: String
    public var fields: HeaderFields
    public var body: HTTPRequestBody
    /// The client's address, or the name of a socket.
    public var client: String
    /// Whether only this machine can connect to the listener, such as a loopback address or a Unix socket.
    public var isLocal: Bool
    /// What TLS says of the connection; nil without TLS.
    public var security: HTTPSecurity?
    /// Set when the response is no longer needed.
    public var cancellation: HTTPCancellation
    /// How long the complete request waited for a worker.
    public var queued = Duration.zero
    /// The memory that answering the request may use.
    public var memory = HTTPMemory.unbounded

    public init(
        _ method: HTTPMethod,
        _ target: String,
        fields: HeaderFields = HeaderFields(),
        body: HTTPRequestBody = .none,
        client: String = "",
        isLocal: Bool = false,
        security: HTTPSecurity? = nil,
        cancellation: HTTPCancellation = HTTPCancellation()
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
        self.client = client
        self.isLocal = isLocal
        self.security = security
        self.cancellation = cancellation
    }
}

/// What a request's connection is protected by.
public struct HTTPSecurity: Hashable, Sendable {
    /// The subject of the client's certificate, such as `CN=backup,O=Example`, if it has shown one and it is valid.
    public var clientSubject: String?

    public init(clientSubject: String? = nil) { self.clientSubject = clientSubject }
}

/// The body of a request.
public enum HTTPRequestBody: Sendable {
    case none
    /// The complete body.
    case bytes([UInt8])
    /// A body that is read while it arrives.
    case stream(any HTTPBodyReader)
}

/// A request body that is still arriving. Reading blocks, so only workers may read.
public protocol HTTPBodyReader: Sendable {
    /// The available bytes, or nil at the end. Throws if the client disconnects or sends a malformed body.
    func read() throws -> [UInt8]?
}
