// SPDX-License-Identifier: Apache-2.0

// One state of the stores, for as long as it may be held.

import Dispatch
import ObjectGraph
import Synchronization

/// A state of the stores that is let go of when its time is over, whatever its reader is doing: a state that is held keeps a log
/// from being written back. What is read after that is of another one, which is held as long again.
final class PassingState: Sendable {
    private let coordinator: PersistentStoreCoordinator
    private let lifetime: Duration?
    private let held = Mutex(Held())

    private struct Held {
        var token: QueryGenerationToken?
        /// When the state is past; nil before there is one, and where there is no bound.
        var end: ContinuousClock.Instant?

        var isPast: Bool { end.map { $0 <= .now } ?? false }
    }

    /// - Parameter lifetime: How long a state is held; nil for as long as this is.
    init(of coordinator: PersistentStoreCoordinator, for lifetime: Duration?) {
        self.coordinator = coordinator
        self.lifetime = lifetime
    }

    func read<Result>(_ body: (CoordinatorReader) throws -> Result) throws -> Result {
        try coordinator.read(at: try token()) { try body($0) }
    }

    private func token() throws -> QueryGenerationToken {
        if let token = held.withLock({ $0.isPast ? nil : $0.token }) { return token }
        let token = try coordinator.sharedQueryGeneration()
        held.withLock { $0 = Held(token: token, end: lifetime.map { .now + $0 }) }
        guard let lifetime else { return token }
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + lifetime / .seconds(1)) { [weak self] in
            self?.held.withLock { held in if held.isPast { held.token = nil } }
        }
        return token
    }
}
