// SPDX-License-Identifier: Apache-2.0

// Compares requests by a digest.

import Cryptography
import FoundationEssentials
import HTTPMessage
import Synchronization

/// The digest of a request: its method and target, the fields that its answer depends on, and its body.
struct Fingerprint: Sendable {
    private let head: SHA256
    /// Replaces the request's body: a streamed body is digested while it is read.
    let body: HTTPRequestBody

    init(of request: HTTPRequest) {
        var head = SHA256()
        // No part of the head contains a line break.
        head.add(Array("\(request.method) \(request.target)\n".utf8))
        for name in Self.fields {
            for value in request.fields.values(of: name) { head.add(Array("\(name.lowercased):\(value)\n".utf8)) }
        }
        head.add(Array("\n".utf8))
        switch request.body {
        case .none: body = .none
        case .bytes(let bytes):
            head.add(bytes)
            body = request.body
        case .stream(let reader): body = .stream(DigestedBody(reader, head))
        }
        self.head = head
    }

    private static let fields: [FieldName] = ["X-Author", .acceptModel, .contentType, .ifMatch, .ifNoneMatch, .prefer]

    /// The digest. Reads the rest of the body if necessary.
    func digest() throws(Problem) -> String {
        var hash = head
        if case .stream(let reader) = body, let digested = reader as? DigestedBody { hash = try digested.wholeHash() }
        return Data(hash.digest).base64EncodedString()
    }
}

/// A body that is digested while it is read.
private final class DigestedBody: HTTPBodyReader {
    private let base: any HTTPBodyReader
    private let state: Mutex<(hash: SHA256, isAtEnd: Bool)>

    init(_ base: any HTTPBodyReader, _ hash: SHA256) {
        self.base = base
        state = Mutex((hash, false))
    }

    func read() throws -> [UInt8]? {
        guard !state.withLock({ $0.isAtEnd }) else { return nil }
        let piece = try base.read()
        state.withLock { state in
            if let piece { state.hash.add(piece) } else { state.isAtEnd = true }
        }
        return piece
    }

    func wholeHash() throws(Problem) -> SHA256 {
        do {
            while try read() != nil {}
        } catch {
            throw Problem(.malformed, "The request body is incomplete.")
        }
        return state.withLock { $0.hash }
    }
}
