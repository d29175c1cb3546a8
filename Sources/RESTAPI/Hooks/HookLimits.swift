// SPDX-License-Identifier: Apache-2.0

// The limits of a hook, and the delays between its attempts.

package struct HookLimits: Hashable, Sendable {
    /// How long a receiver may take for its answer.
    package var timeout = Duration.seconds(10)
    /// The delay after the first failure, which each further one doubles, and the longest one.
    package var firstDelay = Duration.seconds(1)
    package var maximumDelay = Duration.seconds(300)
    /// When a failing delivery becomes a dead letter: after this time, or after a number of attempts.
    package var giveUpAfter = Duration.seconds(24 * 60 * 60)
    package var attempts: Int?
    /// The number of dead letters that are kept.
    package var deadLetters = 1_000

    package init() {}

    /// Doubles with each failure up to the maximum. Half of it is random, so that hooks that failed together don't try
    /// again together.
    ///
    /// - Parameters:
    ///   - jitter: A random number from 0 to 1.
    ///   - retryAfter: How long the receiver asks to wait, which counts up to the maximum.
    func delay(afterFailures count: Int, jitter: Double, retryAfter: Duration? = nil) -> Duration {
        let doubled = firstDelay * pow2(min(count - 1, 30))
        let delay = min(doubled, maximumDelay) * (0.5 + jitter / 2)
        return max(delay, min(retryAfter ?? .zero, maximumDelay), Self.leastDelay)
    }

    private static let leastDelay = Duration.milliseconds(100)

    private func pow2(_ exponent: Int) -> Int { 1 << max(exponent, 0) }
}
