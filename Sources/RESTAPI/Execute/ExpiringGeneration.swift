// SPDX-License-Identifier: Apache-2.0

// A state of the stores that is held for a limited time.

import Dispatch
import ObjectGraph
import Synchronization

/// A state of the stores that is released when its time is over, even during a stream: a held state keeps a log from
/// being written back. Later reads use a new state, which is held for the same time. Before the stores are migrated, the
/// present state is held until the end.
final class ExpiringGeneration: Sendable {
    private let coordinator: PersistentStoreCoordinator
    private let lifetime: Duration?
    private let held = Mutex(Held())

    private struct Held {
        var token: QueryGenerationToken?
        /// The time when the state expires; nil without a state or a limit.
        var end: ContinuousClock.Instant?

        var hasExpired: Bool { end.map { $0 <= .now } ?? false }
    }

    /// - Parameter lifetime: How long a state is held, or nil for the lifetime of this object.
    init(of coordinator: PersistentStoreCoordinator, for lifetime: Duration?) {
        self.coordinator = coordinator
        self.lifetime = lifetime
    }

    func read<Result>(_ body: (CoordinatorReader) throws -> Result) throws -> Result {
        try coordinator.read(at: try token()) { try body($0) }
    }

    /// Holds the present state, if none is held.
    func hold() throws { _ = try token() }

    private func token() throws -> QueryGenerationToken {
        if let token = held.withLock({ $0.hasExpired && !coordinator.isEnding ? nil : $0.token }) { return token }
        let present = try coordinator.sharedQueryGeneration()
        let token = held.withLock { held in
            // The stores may have been migrated while that waited.
            if coordinator.isEnding, let token = held.token { return token }
            held = Held(token: present, end: lifetime.map { .now + $0 })
            return present
        }
        guard let lifetime else { return token }
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + lifetime / .seconds(1)) { [weak self] in
            self?.releaseIfExpired()
        }
        return token
    }

    func releaseIfExpired() {
        held.withLock { held in if held.hasExpired, !coordinator.isEnding { held.token = nil } }
    }
}

/// The states that the streams of an API read.
final class StreamedStates: Sendable {
    private struct Stream {
        weak let state: ExpiringGeneration?
    }

    private let streams = Mutex<[Stream]>([])

    /// Adds the state of a stream, which is known until it is released.
    func add(_ state: ExpiringGeneration) {
        streams.withLock { streams in
            streams.removeAll { $0.state == nil }
            streams.append(Stream(state: state))
        }
    }

    /// Makes all streams hold a state, which those share that hold none yet.
    func hold(of coordinator: PersistentStoreCoordinator) throws {
        let streams = streams.withLock(\.self)
        guard !streams.isEmpty else { return }
        try coordinator.withSharedQueryGeneration {
            for stream in streams { try stream.state?.hold() }
        }
    }

    /// Releases states that had expired while they had to be held.
    func releaseExpired() {
        for stream in streams.withLock(\.self) { stream.state?.releaseIfExpired() }
    }
}
