// SPDX-License-Identifier: Apache-2.0

// The plane: x increases to the right and y downwards, in the units of the picture's text.

package struct DiagramPoint: Hashable, Sendable {
    package var x: Double
    package var y: Double

    package init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    func moved(by offset: DiagramPoint) -> DiagramPoint {
        DiagramPoint(x: x + offset.x, y: y + offset.y)
    }
}

package struct DiagramRect: Hashable, Sendable {
    package var x: Double
    package var y: Double
    package var width: Double
    package var height: Double

    package var maxX: Double { x + width }
    package var maxY: Double { y + height }

    package init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Whether the rectangles overlap; a shared border doesn't count.
    package func intersects(_ other: DiagramRect) -> Bool {
        x < other.maxX && other.x < maxX && y < other.maxY && other.y < maxY
    }

    /// Whether the other rectangle is inside this one; a shared border is allowed.
    package func contains(_ other: DiagramRect) -> Bool {
        x <= other.x && other.maxX <= maxX && y <= other.y && other.maxY <= maxY
    }

    func moved(by offset: DiagramPoint) -> DiagramRect {
        DiagramRect(x: x + offset.x, y: y + offset.y, width: width, height: height)
    }
}
