// SPDX-License-Identifier: Apache-2.0

// Random numbers that can be repeated with a printed seed.

import FoundationEssentials

/// SplitMix64: the same numbers for the same seed.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) {
        state = seed
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// The seeds of a test, which reports the failing one: the same in each run, those of this run's turn, and fewer
    /// under a sanitizer, where each takes long. `OUTCROP_SEEDS` is a number of other seeds, which vary, and
    /// `OUTCROP_SEED` names seeds.
    public static func seeds(_ count: Int) -> [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        if let named = environment["OUTCROP_SEED"] { return named.split(separator: ",").compactMap { UInt64($0) } }
        if let others = environment["OUTCROP_SEEDS"].flatMap({ Int($0) }) {
            return (0..<others).map { _ in .random(in: .min ... .max) }
        }
        var generator = SeededGenerator(seed: 0)
        let number = environment["OUTCROP_SANITIZER"] == nil ? count : max(2, count / 4)
        return Turn.part(of: (0..<number).map { _ in generator.next() })
    }

    /// Whether an event with a probability in percent happens.
    public mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
}
