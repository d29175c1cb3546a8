// SPDX-License-Identifier: Apache-2.0

/// The SplitMix64 generator, deterministic for a seed.
struct DemoRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64, stream: UInt64 = 0) {
        state = Self.mixed(seed &+ Self.mixed(stream &+ 1))
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mixed(state)
    }

    /// A number from zero up to, not including, a positive limit.
    mutating func below(_ limit: Int) -> Int {
        Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(limit)).high)
    }

    /// True with this probability in percent.
    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    /// A number from zero up to, not including, one.
    mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

    private static func mixed(_ number: UInt64) -> UInt64 {
        var mixed = number
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
