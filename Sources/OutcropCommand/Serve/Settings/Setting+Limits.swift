// SPDX-License-Identifier: Apache-2.0

// The settings of the server's limits.

import HTTPServer

extension Setting {
    static let limits: [Setting] = [
        bytes("requestLine", \.limits.requestLine, "Of a request's first line, in which long predicates have room."),
        bytes(
            "fieldBytes",
            \.limits.fieldBytes,
            "Of all header fields of a request, which are kept until it is answered."
        ),
        count("fieldCount", \.limits.fieldCount, "Header fields of a request, each of which costs a look."),
        bytes(
            "chunkLine",
            \.limits.chunkLine,
            "Of the line before a chunk of a body, from which nothing but a number is read."
        ),
        bytes(
            "chunkExtensions",
            \.limits.chunkExtensions,
            "Of what else stands in those lines of one body, which is read for nothing."
        ),
        bytes(
            "trailerBytes",
            \.limits.trailerBytes,
            "Of all fields behind a body in chunks, which are read for nothing."
        ),
        bytes(
            "bodiesInMemory",
            \.limits.bodiesInMemory,
            "Of all bodies together that are held in memory; past it the answer is 503."
        ),
        bytes(
            "streamedBody",
            \.limits.streamedBody,
            "Of a body that is read while it comes, so that none goes on for ever."
        ),
        bytes(
            "unwantedBody",
            \.limits.unwantedBody,
            "Of a body that nobody wants that are read all the same, so that the client hears the answer."
        ),
        time(
            "firstByte",
            \.limits.firstByte,
            "From a connection's start to its first byte; the silent hold others' places."
        ),
        time(
            "head",
            \.limits.head,
            "From a request's first byte to the end of its head, so that nobody sends a byte a second."
        ),
        time(
            "bodyTime",
            \.limits.bodyTime,
            "How long a body may take to come that is held in memory, which others want."
        ),
        time(
            "idle",
            \.limits.idle,
            "Between an answer and the next request; kept connections save time and cost memory."
        ),
        time(
            "queueTime",
            \.limits.queueTime,
            "How long a request waits for a worker; by then hardly anybody waits for the answer."
        ),
        time("rateWindow", \.limits.rateWindow, "How long a transfer may be slow before its rate is looked at."),
        count(
            "receivingRate",
            \.limits.receivingRate,
            "Bytes a second that a client must send of a body, since a trickle holds a worker."
        ),
        count(
            "sendingRate",
            \.limits.sendingRate,
            "Bytes a second that a client must take of an answer, since who reads nothing holds memory."
        ),
        time("lingering", \.limits.lingering, "How long is read on after a last answer, so that the client gets it."),
        count(
            "requestsPerConnection",
            \.limits.requestsPerConnection,
            "Requests on one connection, so that long-lived ones are opened anew and spread evenly."
        ),
        count("connections", \.limits.connections, "Connections in all; each costs a descriptor and about a kilobyte."),
        count(
            "connectionsPerClient",
            \.limits.connectionsPerClient,
            "Connections of one address; no fewer than in all by default, since all clients of a proxy have one."
        ),
        count(
            "requestsInFlight",
            \.limits.requestsInFlight,
            "Requests that are worked on or wait; each holds its body."
        ),
        count(
            "queuedRequests",
            \.limits.queuedRequests,
            "Requests that wait for a worker, half of them one client's; past it the answer is 503 at once, not too late."
        ),
        count(
            "queuedStreams",
            \.limits.queuedStreams,
            "Streamed requests and answers that wait for a worker of theirs."
        ),
        count(
            "streamsPerClient",
            \.limits.streamsPerClient,
            "Stream workers that one address may have, with half of their queue; all of them is no bound."
        ),
        bytes(
            "pipelinedBytes",
            \.limits.pipelinedBytes,
            "Of further requests that are read while one is being answered."
        ),
        bytes(
            "inputBuffer",
            \.limits.inputBuffer,
            "Of a streamed body that wait to be used; past it the client waits."
        ),
        bytes(
            "outputBuffer",
            \.limits.outputBuffer,
            "Of answers that wait to be sent on a connection; past it makers wait."
        ),
        bytes(
            "feedBacklog",
            \.limits.feedBacklog,
            "Of events that wait for a client; past it the client is too slow, and is disconnected."
        ),
    ]

    private static func bytes(_ key: String, _ path: Path<Int>, _ reason: String) -> Setting {
        Setting(key, path, .bytes, in: .limits, "Bytes " + reason.prefix(1).lowercased() + reason.dropFirst())
    }

    private static func count(_ key: String, _ path: Path<Int>, _ reason: String) -> Setting {
        Setting(key, path, .count(), in: .limits, reason)
    }

    private static func time(_ key: String, _ path: Path<Duration>, _ reason: String) -> Setting {
        Setting(key, path, .duration, in: .limits, reason)
    }
}
