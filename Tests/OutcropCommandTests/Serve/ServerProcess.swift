// SPDX-License-Identifier: Apache-2.0

// The program as it was built, serving.

import Foundation
import JSON
import TestSupport

/// A server in a process of its own, with its log in the test's folder.
final class ServerProcess {
    /// The program as built with the tests.
    static let binary = ProcessInfo.processInfo.arguments.lazy
        .filter { $0.hasSuffix(".xctest") }
        .map { URL(filePath: $0).deletingLastPathComponent().appending(path: "outcrop") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }

    struct Failure: Error {
        let message: String
    }

    let folder: String
    private let process = Process()

    /// Starts a server of the demo in a SQLite store by default, and waits until its log says that it is ready.
    /// - Parameters:
    ///   - served: The options of other stores, instead of demo data.
    ///   - environment: Variables besides those of the tests.
    init(
        in folder: String,
        serving served: [String]? = nil,
        _ arguments: [String] = ["--listen", "127.0.0.1:0"],
        isAwaited: Bool = true,
        environment: [String: String] = [:]
    ) throws {
        self.folder = folder
        guard let binary = Self.binary else { throw Failure(message: "The program was not built beside the tests.") }
        process.executableURL = binary
        process.arguments =
            ["serve", "--log-format", "json", "--log-file", log]
            + (served ?? ["--demo", "--demo-size", "100", "--store", folder + "/Demo.sqlite"]) + arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.endsWithoutBacktrace()
        if !environment.isEmpty {
            process.environment = (process.environment ?? ProcessInfo.processInfo.environment).merging(environment) {
                $1
            }
        }
        try process.run()
        guard isAwaited else { return }
        do {
            _ = try event("ready")
        } catch {
            kill(process.processIdentifier, SIGKILL)
            throw error
        }
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    var log: String { folder + "/server.log" }

    var number: Int32 { process.processIdentifier }

    /// The error output of the program when it refuses to start.
    static func refusal(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = binary
        let store = arguments.contains("--store") ? [] : ["--store", "memory:"]
        process.arguments = ["serve", "--demo", "--demo-size", "10"] + store + arguments
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationReason == .exit, [1, 2].contains(process.terminationStatus) else {
            throw Failure(message: "It ended otherwise: \(text)")
        }
        return text
    }

    /// The first address at which it listens.
    func address() throws -> String {
        guard let address = try event("ready")["listen"]?[0]?.string else { throw Failure(message: "no address") }
        return address
    }

    /// Waits for an event in the log, and returns its line.
    func event(_ name: String) throws -> JSONValue {
        for _ in 0..<1_500 {
            if let found = try? events().first(where: { $0["event"]?.string == name }) { return found }
            usleep(20_000)
        }
        throw Failure(message: "The log has no “\(name)”.")
    }

    /// The complete lines of the log.
    func events() throws -> [JSONValue] {
        let text = try String(contentsOfFile: log, encoding: .utf8)
        let whole = text.hasSuffix("\n") ? text[...] : text.prefix { _ in false }
        return try whole.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
    }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits for the end, and returns the exit code, or the negated number of the signal.
    func end() -> Int32 {
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    /// The same, or nil if the process is still running after the limit.
    func end(within limit: Duration) -> Int32? {
        let deadline = ContinuousClock.now + limit
        while process.isRunning, ContinuousClock.now < deadline { usleep(5_000) }
        return process.isRunning ? nil : end()
    }

    /// Runs curl, and returns the body and the status.
    func curl(_ arguments: String...) throws -> (body: String, status: String) { try curl(arguments) }

    func curl(_ arguments: [String]) throws -> (body: String, status: String) { try Self.curl(arguments) }

    static func curl(_ arguments: [String]) throws -> (body: String, status: String) {
        let curl = Process()
        curl.executableURL = URL(filePath: "/usr/bin/env")
        curl.arguments = ["curl", "-sS", "--max-time", "20", "-w", "\n%{http_code}"] + arguments
        let output = Pipe()
        curl.standardOutput = output
        try curl.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        curl.waitUntilExit()
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return (lines.dropLast().joined(separator: "\n"), lines.last.map(String.init) ?? "")
    }
}
