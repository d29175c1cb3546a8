// SPDX-License-Identifier: Apache-2.0

// What can be chosen about a picture.

/// Choices for a diagram. The bounds are far beyond what a person can read, and keep a hostile model from taking hours.
public struct DiagramOptions: Hashable, Sendable {
    /// The headline, such as the name of the model's version.
    public var title: String?
    /// How many attributes a box shows before it says how many more there are; nil for all.
    public var maximumAttributes: Int?
    /// How many entities are drawn; a note says how many are left out.
    public var maximumEntities: Int
    /// How many lines are drawn; a note says how many are left out.
    public var maximumLines: Int
    public var hasLegend: Bool

    public init(
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
