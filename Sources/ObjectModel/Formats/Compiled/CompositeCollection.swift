// SPDX-License-Identifier: Apache-2.0

/// The composites of a compiled model by name, deduplicated: an archive has a copy for each attribute.
struct CompositeCollection {
    static let maximumDepth = 10

    private var composites: [String: Composite] = [:]
    /// The names under which composites are kept, by their original value.
    private var names: [Composite: String] = [:]
    /// The number of different composites per original name.
    private var counts: [String: Int] = [:]

    /// All composites, in the binary order of their names.
    var all: [Composite] { composites.keys.inBinaryOrder().compactMap { composites[$0] } }

    /// The name under which a composite is kept: its own, or with a number appended if that is taken.
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
