// SPDX-License-Identifier: Apache-2.0

// Counters and timings, for people and for Prometheus: `GET /api/stats` and `GET /metrics`.

import JSON
import ObjectGraph

extension API {
    /// What was counted since the start; durations are in milliseconds.
    var statisticsJSON: JSONValue {
        let counts = statistics.current
        let rows = coordinator.rowCacheStatistics
        let operations = Operation.allCases.compactMap { operation -> (String, JSONValue)? in
            let durations = counts.operations[operation.index]
            return durations.count == 0 ? nil : (operation.rawValue, durations.json)
        }
        var members = engineCounters.map { ($0.name, JSONValue.integer($0.value)) }
        members += [
            ("cachedRows", .integer(rows.rows)), ("cachedBytes", .integer(rows.bytes)),
            ("requests", .integer(counts.exchanges.count)), ("abortedRequests", .integer(counts.aborted)),
            ("receivedBytes", .integer(counts.received)), ("sentBytes", .integer(counts.sent)),
            ("operations", .object(JSONObject(operations))),
        ]
        return .object(JSONObject(members))
    }

    var metrics: String {
        let counts = statistics.current
        let rows = coordinator.rowCacheStatistics
        var text = PrometheusText()
        let answers = counts.answers.sorted { ($0.key.method, $0.key.status) < ($1.key.method, $1.key.status) }
        text.write(
            "outcrop_http_requests_total",
            .counter,
            "Answered requests by method and status.",
            answers.map { ([("method", $0.key.method), ("status", "\($0.key.status)")], Double($0.value)) }
        )
        text.write(
            "outcrop_http_request_duration_seconds",
            "Time from the first byte of a request to the last byte of its answer.",
            [([], counts.exchanges)]
        )
        text.write(
            "outcrop_http_queue_seconds_total",
            .counter,
            "Total time that requests have waited for a worker.",
            [([], counts.queued.seconds)]
        )
        text.write(
            "outcrop_http_aborted_total",
            .counter,
            "Requests whose client disconnected or was disconnected before the end of the answer.",
            counts.aborted
        )
        text.write("outcrop_http_received_bytes_total", .counter, "Bytes of request bodies.", counts.received)
        text.write("outcrop_http_sent_bytes_total", .counter, "Bytes of response bodies.", counts.sent)
        text.write(
            "outcrop_operation_duration_seconds",
            "Duration of operations, without waiting and sending.",
            Operation.allCases.compactMap { operation in
                let durations = counts.operations[operation.index]
                return durations.count == 0 ? nil : ([("operation", operation.rawValue)], durations)
            }
        )
        for counter in engineCounters {
            text.write("outcrop_\(counter.metric)_total", .counter, counter.help, counter.value)
        }
        text.write("outcrop_row_cache_rows", .gauge, "Rows in the row cache.", rows.rows)
        text.write("outcrop_row_cache_bytes", .gauge, "Approximate memory of the row cache.", rows.bytes)
        for metric in options.metrics() {
            let labels = metric.labels.map { (name: $0.name, value: $0.value) }
            text.write(metric.name, metric.isCounter ? .counter : .gauge, metric.help, [(labels, metric.value)])
        }
        return text.text
    }
}

extension CallTimings {
    fileprivate var json: JSONValue {
        let durations = [
            ("average", average), ("min", minimum), ("max", maximum), ("p50", quantile(0.5)), ("p99", quantile(0.99)),
        ]
        let members = durations.map { name, duration in
            (name, duration.flatMap { JSONValue.double(($0.milliseconds * 1000).rounded() / 1000) } ?? .null)
        }
        return .object(JSONObject([("count", .integer(count))] + members))
    }
}
