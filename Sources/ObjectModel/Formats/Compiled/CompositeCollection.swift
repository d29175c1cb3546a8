// SPDX-License-Identifier: Apache-2.0

// The composites of a compiled model, in which each attribute has its composite to itself.

/// Composites by name, those that are the same found again.
struct CompositeCollection {
    static let maximumDepth = 10

    private var composites: [String: Composite] = [:]
    /// The names under which composites are kept, by what they were when they were met.
    private var names: [Composite: String] = [:]
    /// How many different ones there are of a name.
    private var counts: [String: Int] = [:]

    /// All of them, in the binary order of their names.
    var all: [Composite] { composites.keys.inBinaryOrder().compactMap { composites[$0] } }

    /// The name under which a composite is kept: its own, with a number where another one has that.
    mutating func name(for composite: Composite) -> String {
        if let name = names[composite] { return name }
        var kept = composite
        repeat {
            let count = counts[composite.name, default: 0] + 1
            counts[composite.name] = count
            if count > 1 { kept.name = "\(composite.name)\(count)" }
        } while composites[kept.name] != nil
        composites[kept.name] = kept
        names[composite] = kept.name
        return kept.name
    }
}
