// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import HTTPMessage
import JSON
import SourceText
import Synchronization
import Testing

@testable import RESTAPI

@Suite("Delivery of messages to accounts")
struct MessageDeliveryTests {
    private final class Reports: Sendable {
        let events = Mutex<[HookEvent]>([])
        var messages: [String] { events.withLock { $0.map(\.message) } }
    }

    private let receiver = ScriptedReceiver()
    private let reports = Reports()
    private let delivery: MessageDelivery

    init() throws {
        delivery = MessageDelivery { [reports] event in reports.events.withLock { $0.append(event) } }
        delivery.use(try target())
    }

    private func target() throws -> MessageReceiver {
        var limits = HookLimits()
        limits.firstDelay = .milliseconds(100)
        limits.maximumDelay = .milliseconds(200)
        return MessageReceiver(
            try HookURL("https://mail.example/accounts"),
            secret: Array("0123456789abcdef".utf8),
            limits: limits,
            send: receiver.receive
        )
    }

    private func message(_ account: String, lasting seconds: Double = 3_600) -> AccountMessage {
        AccountMessage(
            kind: .reset,
            account: account,
            name: "secret-name",
            token: "secret-token",
            expires: Date(timeIntervalSinceReferenceDate: (Date.now + seconds).timeIntervalSinceReferenceDate.rounded())
        )
    }

    private func wait(for count: Int) async throws {
        for _ in 0..<1_000 where receiver.deliveries.count < count { try await Task.sleep(for: .milliseconds(10)) }
        #expect(receiver.deliveries.count >= count)
    }

    @Test("a message is sent once, signed like a webhook's delivery")
    func sending() async throws {
        let message = message("users/7")
        delivery.deliver(message)
        delivery.deliver(self.message("users/8"))
        try await wait(for: 2)
        delivery.end(within: .seconds(10))
        let sent = receiver.deliveries
        #expect(
            sent.map(\.body)
                == ["users/7", "users/8"].map { account in
                    [
                        "kind": "reset", "account": .string(account), "name": "secret-name", "token": "secret-token",
                        "expires": message.expires.iso8601.map(JSONValue.string) ?? .null,
                    ]
                }
        )
        #expect(sent[0].fields["Outcrop-Hook"] == "accounts" && sent[0].fields[.contentType] == "application/json")
        #expect(sent[0].id.hasPrefix("accounts-") && sent[0].id != sent[1].id)
        #expect(reports.messages.isEmpty)
    }

    @Test("a failed message is tried again with the same ID, and holds up no others")
    func failures() async throws {
        let count = Mutex(0)
        receiver.answer { delivery in
            guard delivery.body["account"] == "users/7" else { return .status(204) }
            return .status(
                count.withLock { count in
                    count += 1
                    return count < 3 ? 500 : 200
                }
            )
        }
        delivery.deliver(message("users/7"))
        delivery.deliver(message("users/8"))
        try await wait(for: 4)
        let sent = receiver.deliveries
        #expect(sent.map { $0.body["account"]?.string } == ["users/7", "users/8", "users/7", "users/7"])
        #expect(Set([0, 2, 3].map { sent[$0].id }).count == 1)
        delivery.end(within: .seconds(10))
        #expect(
            reports.messages == [
                "The message of the kind “reset” to users/7 failed, and is tried again: The receiver answered with 500."
            ]
        )
    }

    @Test("a message is given up when its token expires first, or its receiver is gone")
    func givingUp() async throws {
        receiver.answer { $0.body["account"] == "users/7" ? .failed("No server listens there.") : .status(410) }
        delivery.deliver(message("users/7", lasting: 1))
        delivery.deliver(message("users/8"))
        try await wait(for: 3)
        for _ in 0..<500 where reports.messages.count < 3 { try await Task.sleep(for: .milliseconds(10)) }
        delivery.end(within: .seconds(10))
        let lines = reports.messages
        #expect(lines.count == 3 && lines[0].contains("users/7 failed"), "\(lines)")
        #expect(lines[1] == "The message of the kind “reset” to users/8 was given up: The receiver answered with 410.")
        #expect(lines[2] == "The message of the kind “reset” to users/7 was given up: No server listens there.")
        #expect(receiver.deliveries.count { $0.body["account"] == "users/8" } == 1)
        #expect(!lines.joined().contains("secret"))
    }

    @Test("after the end nothing is sent, and what failed is lost")
    func ending() async throws {
        receiver.answer(with: 503)
        delivery.deliver(message("users/7"))
        try await wait(for: 1)
        delivery.end(within: .seconds(10))
        let count = receiver.deliveries.count
        delivery.deliver(message("users/8"))
        try await Task.sleep(for: .milliseconds(300))
        #expect(receiver.deliveries.count == count)
        let lines = reports.messages
        #expect(lines.contains("1 messages to accounts weren't delivered. They can be asked for again."), "\(lines)")
        #expect(lines.last?.contains("to users/8 isn't sent") == true)
    }

    @Test("without a receiver nothing is sent, and another receiver gets what has failed")
    func replacing() async throws {
        receiver.answer(with: 500)
        delivery.deliver(message("users/7"))
        try await wait(for: 1)
        receiver.answer(with: 204)
        delivery.use(try target())
        try await wait(for: 2)
        delivery.use(nil)
        delivery.deliver(message("users/8"))
        delivery.end(within: .seconds(10))
        #expect(Set(receiver.deliveries.map { $0.body["account"]?.string }) == ["users/7"])
    }

    @Test("too many waiting messages are refused")
    func limit() {
        var messages = PendingMessages()
        let now = ContinuousClock.now
        func add(_ id: String) -> Bool {
            messages.add(message("users/1"), id: id, until: now + .seconds(60), at: now)
        }
        for number in 0..<PendingMessages.limit { #expect(add("\(number)")) }
        #expect(!add("x"))
        messages.remove("5")
        #expect(add("x"))
        #expect(messages.due(at: now)?.id == "0")
        let first = messages.didFail("0", HookLimits(), at: now, jitter: 1, retryAfter: nil)
        #expect(first == 1 && messages.due(at: now)?.id == "1" && messages.nextAttempt == now)
        // The receiver asks for more time than is left.
        let last = messages.didFail("1", HookLimits(), at: now, jitter: 0, retryAfter: .seconds(90))
        #expect(last == nil && messages.due(at: now)?.id == "2")
    }
}
