// SPDX-License-Identifier: Apache-2.0

// The plane: x increases to the right and y downwards, in the units of the picture's text.

public struct DiagramPoint: Hashable, Sendable {
    public var x: Double
    public var y: Double

    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    func moved(by offset: DiagramPoint) -> DiagramPoint {
        DiagramPoint(x: x + offset.x, y: y + offset.y)
    }
}

public struct DiagramRect: Hashable, Sendable {
    public var x: Double
    public var y: Double
    public var width: Double
    public var height: Double

    public var maxX: Double { x + width }
    public var maxY: Double { y + height }

    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Whether the rectangles overlap; a shared border doesn't count.
    public func intersects(_ other: DiagramRect) -> Bool {
        x < other.maxX && other.x < maxX && y < other.maxY && other.y < maxY
    }

    /// Whether the other rectangle is inside this one; a shared border is allowed.
    public func contains(_ other: DiagramRect) -> Bool {
        x <= other.x && other.maxX <= maxX && y <= other.y && other.maxY <= maxY
    }

    func moved(by offset: DiagramPoint) -> DiagramRect {
        DiagramRect(x: x + offset.x, y: y + offset.y, width: width, height: height)
    }
}
