// SPDX-License-Identifier: Apache-2.0

// A response. The server adds the fields of the connection: length, transfer coding and date.

public struct HTTPResponse: Sendable {
    public var status: HTTPStatus
    public var fields: HeaderFields
    public var body: HTTPResponseBody

    public init(_ status: HTTPStatus, fields: HeaderFields = HeaderFields(), body: HTTPResponseBody = .none) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

public enum HTTPResponseBody: Sendable {
    case none
    case bytes([UInt8])
    /// Written by a worker, which blocks while the client reads slowly. The length is nil if unknown in advance.
    case stream(length: Int?, @Sendable (any HTTPBodyWriter) throws -> Void)
    /// Sent occasionally, such as Server-Sent Events, without occupying a worker. The closure is called once, and
    /// must retain the feed while it may send more.
    case feed(@Sendable (any HTTPFeed) -> Void)
}

/// The destination of a streamed body.
public protocol HTTPBodyWriter: AnyObject {
    /// Blocks until the client has read most of the previous bytes. Throws if the client has disconnected.
    func write(_ bytes: [UInt8]) throws
}

/// The destination of a feed's messages.
public protocol HTTPFeed: Sendable {
    /// Sends without blocking. False if the client has disconnected, or was disconnected for reading too slowly.
    @discardableResult func send(_ bytes: [UInt8]) -> Bool
    /// Calls a closure once, when everything that was sent has been passed to the connection, or the feed is over.
    func whenDrained(_ body: @escaping @Sendable () -> Void)
    /// Ends the body.
    func end()
}
