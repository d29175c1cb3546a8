// SPDX-License-Identifier: Apache-2.0

// The measures that the layout and the drawing share.

enum DiagramMetrics {
    static let nameSize = 12.0
    static let markSize = 10.0
    static let titleSize = 14.0
    static let headlineSize = 20.0

    static let rowHeight = 20.0
    /// The space above the first and below the last row of a section, and left and right of a row's text.
    static let sectionPadding = 6.0
    static let rowPadding = 12.0
    static let headerHeight = 34.0
    static let abstractHeaderHeight = 46.0
    static let minimumBoxWidth = 130.0
    static let longestName = 270.0
    static let longestType = 240.0
    static let longestTitle = 340.0

    /// The least distance of two boxes in a column, of a line to a box that it passes, and of two lines.
    static let boxGap = 34.0
    static let passGap = 16.0
    static let laneGap = 10.0
    /// The room for the shape at the end of a line, before the line may turn.
    static let stub = 26.0
    /// The distance of ends on a border that belong to no row.
    static let slotGap = 11.0

    static let componentGap = 56.0
    static let margin = 32.0
    static let legendHeight = 24.0
    /// Width by height of the page that the layout aims at.
    static let aspectRatio = 1.5
}
