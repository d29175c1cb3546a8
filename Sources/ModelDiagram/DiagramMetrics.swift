// SPDX-License-Identifier: Apache-2.0

// Measures shared by the layout and the drawing.

enum DiagramMetrics {
    static let nameSize = 12.0
    static let markSize = 10.0
    static let titleSize = 14.0
    static let headlineSize = 20.0

    static let rowHeight = 20.0
    /// The space above and below a section's rows.
    static let sectionPadding = 6.0
    static let rowPadding = 12.0
    static let headerHeight = 34.0
    static let abstractHeaderHeight = 46.0
    static let minimumBoxWidth = 130.0
    static let longestName = 270.0
    static let longestType = 240.0
    static let longestTitle = 340.0

    /// The minimum distance of two boxes in a column, of a line and a box that it passes, and of two lines.
    static let boxGap = 34.0
    static let passGap = 16.0
    static let laneGap = 10.0
    /// The space for the shape at the end of a line, before the line turns.
    static let stub = 26.0
    /// The distance of line ends that don't belong to rows.
    static let slotGap = 11.0

    static let componentGap = 56.0
    static let margin = 32.0
    static let legendHeight = 24.0
    /// The preferred ratio of width to height of the page.
    static let aspectRatio = 1.5
}
