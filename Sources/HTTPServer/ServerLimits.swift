// SPDX-License-Identifier: Apache-2.0

/// Limits on clients, each with its reason. Exceeding one is answered by a refusal that names it, if an answer is
/// possible.
package struct ServerLimits: Hashable, Sendable {
    /// The bytes of a request line. Long predicates fit, but an endless target can't fill memory.
    package var requestLine = 16 << 10
    /// The bytes of all header fields of a request, which are kept until the response.
    package var fieldBytes = 32 << 10
    /// The number of header fields of a request, since each lookup scans them.
    package var fieldCount = 128
    /// The bytes of a chunk's size line, of which only the number is used.
    package var chunkLine = 256
    /// The bytes of all chunk extensions in a body, which no other limit covers.
    package var chunkExtensions = 4 << 10
    /// The bytes of all trailer fields, which are read and ignored.
    package var trailerBytes = 4 << 10
    /// The bytes of a body that is held in memory; applications may lower it.
    package var body = 16 << 20
    /// The bytes of all such bodies together, so that many clients can't fill memory within their own limits.
    package var bodiesInMemory = 256 << 20
    /// The bytes of a streamed body, so that no request is endless.
    package var streamedBody = 1 << 40
    /// The bytes of an unwanted body that are still read, since clients may read the response only after sending all;
    /// beyond it the connection is closed.
    package var unwantedBody = 256 << 10

    /// The time from a connection's start to the end of its TLS handshake, since silent connections occupy places.
    package var handshake = Duration.seconds(10)
    /// The time from a connection's start to its first byte, since silent connections occupy places.
    package var firstByte = Duration.seconds(15)
    /// The time from the first byte of a request to the end of its head, against clients that send a byte at a time.
    package var head = Duration.seconds(15)
    /// The time between a response and the next request. Kept connections save time, but cost memory.
    package var idle = Duration.seconds(75)
    /// The time from the first byte of a request to the end of its body, or to the start of a streamed one; until then
    /// it occupies memory.
    package var bodyTime = Duration.seconds(120)
    /// How long a request may wait for a worker; later, the client has probably given up.
    package var queueTime = Duration.seconds(30)
    /// The interval at which transfer rates are checked.
    package var rateWindow = Duration.seconds(10)
    /// The minimum bytes per second of a body, while it is being read, since a slow client would occupy a worker.
    package var receivingRate = 256
    /// The minimum bytes per second that a client must receive, since a slow client would occupy a worker and memory.
    package var sendingRate = 256
    /// How long to read from a connection after its last response, so that the client receives it and not a reset.
    package var lingering = Duration.seconds(2)

    /// The number of requests per connection, so that long-lived connections are reopened and rebalanced occasionally.
    package var requestsPerConnection = 1_000_000
    /// The number of connections. Each costs a descriptor and about a kilobyte.
    package var connections = 16_384
    /// The number of connections per client address (per 64-bit network for IPv6). By default the same as the total,
    /// since all clients of a proxy share an address.
    package var connectionsPerClient = 16_384
    /// The number of requests that are running or queued, each of which holds its body.
    package var requestsInFlight = 1_024
    /// The number of queued requests, of which a client may have half. Beyond it the response is 503 at once, which is
    /// better than a late one.
    package var queuedRequests = 512
    /// The number of streamed requests and responses that wait for a stream worker.
    package var queuedStreams = 64
    /// How many stream workers a client may use at a time, along with half of their queue, so that others find one
    /// free. The number of workers or more means no limit.
    package var streamsPerClient = 12
    /// The bytes of pipelined requests that are read during a response; beyond it reading pauses.
    package var pipelinedBytes = 64 << 10
    /// The bytes of a streamed body that the application hasn't read; beyond it reading pauses.
    package var inputBuffer = 256 << 10
    /// The bytes of responses that a connection hasn't sent; beyond it writers wait.
    package var outputBuffer = 256 << 10
    /// The bytes that a feed hasn't sent. Feeds never wait; beyond it the client is too slow, and the connection is
    /// closed.
    package var feedBacklog = 256 << 10

    package init() {}
}
