// SPDX-License-Identifier: Apache-2.0

// What a server bears from its clients.

/// Limits, each with a reason. What passes one is refused with an answer that names it, where there is anybody to answer.
public struct ServerLimits: Hashable, Sendable {
    /// The bytes of a request line, so that nobody fills memory with a target that never ends; long predicates fit.
    public var requestLine = 16 << 10
    /// The bytes of all header fields of a request, which are kept until it is answered.
    public var fieldBytes = 32 << 10
    /// How many header fields a request has, since each costs a look when one is asked for.
    public var fieldCount = 128
    /// The bytes of the line before a chunk of a body, from which nothing but a number is read.
    public var chunkLine = 256
    /// The bytes of all else in those lines of one body, which no other limit ends.
    public var chunkExtensions = 4 << 10
    /// The bytes of all fields behind a body in chunks, which are read for nothing.
    public var trailerBytes = 4 << 10
    /// The bytes of a body that is held in memory as a whole; applications may ask for less.
    public var body = 16 << 20
    /// The bytes of all such bodies together, so that many clients can't fill memory, each within its limit.
    public var bodiesInMemory = 256 << 20
    /// The bytes of a body that is read while it comes in, so that no single request goes on for ever.
    public var streamedBody = 1 << 40
    /// The bytes of a body that nobody wants that are read all the same, since a client hears no answer before it has sent all;
    /// past it the connection is closed.
    public var unwantedBody = 256 << 10

    /// From a connection's start to its first byte; who connects and is silent holds a place that others want.
    public var firstByte = Duration.seconds(15)
    /// From the first byte of a request to the end of its head, so that nobody sends one byte a second for ever.
    public var head = Duration.seconds(15)
    /// Between an answer and the next request's first byte; connections that are kept save time, and cost memory.
    public var idle = Duration.seconds(75)
    /// From the first byte of a request to the end of its body, or to the begin of one that is streamed; until then it holds memory
    /// that others want.
    public var bodyTime = Duration.seconds(120)
    /// How long a request waits for a worker; by then hardly anybody still waits for the answer.
    public var queueTime = Duration.seconds(30)
    /// How long a transfer may be slow before its rate is looked at, again and again.
    public var rateWindow = Duration.seconds(10)
    /// Bytes a second that a client must send of a body while it is wanted, over a window; a trickle would hold a worker.
    public var receivingRate = 256
    /// Bytes a second that a client must take of an answer, over a window; who reads nothing would hold a worker and memory.
    public var sendingRate = 256
    /// How long a connection is read on after its last answer, so that the client reads the answer and not a reset.
    public var lingering = Duration.seconds(2)

    /// Requests on one connection, so that long-lived ones are opened anew at times and spread evenly.
    public var requestsPerConnection = 1_000_000
    /// Connections in all; each costs a descriptor and about a kilobyte.
    public var connections = 16_384
    /// Connections of one address (of one network of 64 bits for IPv6). By default no fewer than in all, since all clients of a
    /// proxy have one address.
    public var connectionsPerClient = 16_384
    /// Requests that workers have or that wait for one, each of which holds its body.
    public var requestsInFlight = 1_024
    /// Requests that wait for a worker, of which one client has half; past it the answer is 503 at once, which is better than one that
    /// comes too late.
    public var queuedRequests = 512
    /// Streamed requests and answers that wait for a worker of theirs.
    public var queuedStreams = 64
    /// Workers for streams that one client has at a time, with half of their queue, so that others find one free. As many as there
    /// are workers is no bound.
    public var streamsPerClient = 12
    /// Bytes of further requests that are read while one is being answered; past it reading stops, and the client waits.
    public var pipelinedBytes = 64 << 10
    /// Bytes of a streamed body that wait to be read by the application; past it the client waits.
    public var inputBuffer = 256 << 10
    /// Bytes of answers that wait to be sent on a connection; past it whoever makes more of them waits.
    public var outputBuffer = 256 << 10
    /// Bytes that wait on a feed, whose maker never waits; past it the client is too slow, and its connection is closed.
    public var feedBacklog = 256 << 10

    public init() {}
}
