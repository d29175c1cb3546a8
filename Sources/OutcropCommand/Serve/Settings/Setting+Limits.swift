// SPDX-License-Identifier: Apache-2.0

// The settings of the server's limits.

import HTTPServer

extension Setting {
    static let limits: [Setting] = [
        bytes("requestLine", \.limits.requestLine, "Of a request's first line, with room for long predicates."),
        bytes(
            "fieldBytes",
            \.limits.fieldBytes,
            "Of all header fields of a request, which are kept until it is answered."
        ),
        count("fieldCount", \.limits.fieldCount, "Header fields of a request."),
        bytes("chunkLine", \.limits.chunkLine, "Of the line before a chunk of a body; only its number is used."),
        bytes("chunkExtensions", \.limits.chunkExtensions, "Of all chunk extensions of one body, which are ignored."),
        bytes("trailerBytes", \.limits.trailerBytes, "Of all trailer fields of a chunked body, which are ignored."),
        bytes(
            "bodiesInMemory",
            \.limits.bodiesInMemory,
            "Of all bodies in memory together; beyond it the answer is 503."
        ),
        bytes("streamedBody", \.limits.streamedBody, "Of a streamed body, so that none continues for ever."),
        bytes(
            "unwantedBody",
            \.limits.unwantedBody,
            "Of a refused body that are still read, so that the client receives the answer."
        ),
        time(
            "handshake",
            \.limits.handshake,
            "From a connection's start to the end of its TLS handshake; silent connections occupy places."
        ),
        time(
            "firstByte",
            \.limits.firstByte,
            "From a connection's start to its first byte; silent connections occupy places."
        ),
        time(
            "head",
            \.limits.head,
            "From a request's first byte to the end of its head, so that no client sends one byte a second."
        ),
        time("bodyTime", \.limits.bodyTime, "How long a body that is held in memory may take to arrive."),
        time(
            "idle",
            \.limits.idle,
            "Between an answer and the next request; open connections save time but take memory."
        ),
        time(
            "queueTime",
            \.limits.queueTime,
            "How long a request waits for a worker; few clients wait longer for an answer."
        ),
        time("rateWindow", \.limits.rateWindow, "How long a transfer may be slow before its rate is checked."),
        count(
            "receivingRate",
            \.limits.receivingRate,
            "Bytes a second that a client must send of a body, because a trickle occupies a worker."
        ),
        count(
            "sendingRate",
            \.limits.sendingRate,
            "Bytes a second that a client must receive of an answer, because unsent answers take memory."
        ),
        time(
            "lingering",
            \.limits.lingering,
            "How long the server reads on after a last answer, so that the client receives it."
        ),
        count(
            "requestsPerConnection",
            \.limits.requestsPerConnection,
            "Requests on one connection, so that long-lived connections are reopened and spread evenly."
        ),
        count(
            "connections",
            \.limits.connections,
            "Connections in total; each takes a descriptor and about a kilobyte."
        ),
        count(
            "connectionsPerClient",
            \.limits.connectionsPerClient,
            "Connections of one address. The default is the total, since all clients of a proxy share an address."
        ),
        count(
            "requestsInFlight",
            \.limits.requestsInFlight,
            "Requests that are running or waiting; each holds its body."
        ),
        count(
            "queuedRequests",
            \.limits.queuedRequests,
            "Requests that wait for a worker, at most half of them from one client; beyond it the answer is 503 "
                + "immediately."
        ),
        count("queuedStreams", \.limits.queuedStreams, "Streamed requests and answers that wait for a stream worker."),
        count(
            "streamsPerClient",
            \.limits.streamsPerClient,
            "Stream workers that one address may use, and half of their queue; the number of stream workers is "
                + "no limit."
        ),
        bytes(
            "pipelinedBytes",
            \.limits.pipelinedBytes,
            "Of further requests that are read while one is being answered."
        ),
        bytes(
            "inputBuffer",
            \.limits.inputBuffer,
            "Of a streamed body that wait to be used; beyond it the client waits."
        ),
        bytes(
            "outputBuffer",
            \.limits.outputBuffer,
            "Of answers that wait to be sent on a connection; beyond it their producers wait."
        ),
        bytes(
            "feedBacklog",
            \.limits.feedBacklog,
            "Of events that wait for a client; beyond it the client is too slow, and is disconnected."
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
