// SPDX-License-Identifier: Apache-2.0

/// Options of a diagram. The limits are far beyond readable diagrams, and bound the work for a hostile model.
package struct DiagramOptions: Hashable, Sendable {
    /// The headline, such as the name of the model's version.
    package var title: String?
    /// How many attributes a box shows, or nil for all. A last row shows the number of others.
    package var maximumAttributes: Int?
    /// How many entities are drawn. A note shows the number of others.
    package var maximumEntities: Int
    /// How many lines are drawn. A note shows the number of others.
    package var maximumLines: Int
    package var hasLegend: Bool

    package init(
        title: String? = nil,
        maximumAttributes: Int? = nil,
        maximumEntities: Int = 1_000,
        maximumLines: Int = 3_000,
        hasLegend: Bool = true
    ) {
        self.title = title
        self.maximumAttributes = maximumAttributes
        self.maximumEntities = maximumEntities
        self.maximumLines = maximumLines
        self.hasLegend = hasLegend
    }
}
