// SPDX-License-Identifier: Apache-2.0

// An answer. Its server adds what belongs to the connection: the length, how the body is cut, the date.

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
    /// What is written while it is made, by a worker that waits for slow readers. The length, where it is known before.
    case stream(length: Int?, @Sendable (any HTTPBodyWriter) throws -> Void)
    /// What comes now and then, such as Server-Sent Events; no worker waits meanwhile. The closure is called once, and keeps the
    /// feed for as long as there may be something to send.
    case feed(@Sendable (any HTTPFeed) -> Void)
}

/// Where a body goes that is written piece by piece.
public protocol HTTPBodyWriter: AnyObject {
    /// Waits until the client has taken most of what was written before. It throws when the client is gone.
    func write(_ bytes: [UInt8]) throws
}

/// Where pieces go that come now and then.
public protocol HTTPFeed: Sendable {
    /// Sends without waiting. False when the client is gone, or so far behind that its connection was closed.
    @discardableResult func send(_ bytes: [UInt8]) -> Bool
    /// Ends the body.
    func end()
}
