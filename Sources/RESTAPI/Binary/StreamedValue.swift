// SPDX-License-Identifier: Apache-2.0

// A large value that is being sent to a client, which may be slow.

import Dispatch
import Files
import ObjectGraph
import Synchronization

/// A value that is read from a state of its store for a limited time, since the state prevents checkpoints of the log.
/// After that, the unread rest is copied into a temporary file, so that the log doesn't grow with a slow client and the
/// client still gets one consistent version.
final class StreamedValue: Sendable {
    private let state: Mutex<State>

    private struct State {
        var source: Source
        /// The unread ranges in order.
        var rest: [Range<Int>]
    }

    private enum Source {
        case store(any ValueReader)
        case copy(ValueCopy)
        /// Copying has failed.
        case failed(any Error)
    }

    init(_ value: any ValueReader, for lifetime: Duration) {
        state = Mutex(State(source: .store(value), rest: [0..<value.size]))
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + lifetime / .seconds(1)) { [weak self] in
            self?.copyUnreadRest()
        }
    }

    /// Restricts reading to these ranges, in order.
    func willRead(_ ranges: [Range<Int>]) { state.withLock { $0.rest = ranges } }

    /// Reads a range within one of the announced ranges.
    func read(_ range: Range<Int>) throws -> [UInt8] {
        try state.withLock { state in
            let bytes =
                switch state.source {
                case .store(let value): try value.read(range)
                case .copy(let copy): try copy.read(range)
                case .failed(let error): throw error
                }
            if let next = state.rest.first, next.contains(range.lowerBound) {
                let left = min(range.lowerBound + bytes.count, next.upperBound)..<next.upperBound
                if left.isEmpty { state.rest.removeFirst() } else { state.rest[0] = left }
            }
            return bytes
        }
    }

    /// Reads the unread rest into a temporary file, which releases the state of the store.
    func copyUnreadRest() {
        state.withLock { state in
            guard case .store(let value) = state.source else { return }
            do {
                state.source = .copy(try ValueCopy(of: value, ranges: state.rest))
            } catch {
                state.source = .failed(error)
            }
        }
    }
}

/// Parts of a value in a file.
private struct ValueCopy {
    /// Nil if nothing was left to copy.
    private let file: OpenFile?
    /// The offset of each part in the file.
    private let parts: [(range: Range<Int>, start: Int)]

    private static let pieceSize = 256 << 10

    init(of value: any ValueReader, ranges: [Range<Int>]) throws {
        file = ranges.isEmpty ? nil : try OpenFile.temporary()
        var parts: [(Range<Int>, Int)] = []
        var size = 0
        for range in ranges {
            parts.append((range, size))
            var rest = range
            while !rest.isEmpty {
                let piece = try value.read(rest.prefix(Self.pieceSize))
                guard !piece.isEmpty else { break }
                try file?.append(piece.span)
                rest = rest.dropFirst(piece.count)
                size += piece.count
            }
        }
        self.parts = parts
    }

    func read(_ range: Range<Int>) throws -> [UInt8] {
        guard let part = parts.first(where: { $0.range.contains(range.lowerBound) }) else { return [] }
        let place = part.start + range.lowerBound - part.range.lowerBound
        return try file?.read(at: place, count: min(range.upperBound, part.range.upperBound) - range.lowerBound) ?? []
    }
}
