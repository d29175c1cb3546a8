// SPDX-License-Identifier: Apache-2.0

// Draws lines and the shapes at their ends.

import XML

extension DiagramLayout.Line {
    var svg: XMLElement {
        let style = kind == .inheritance ? "line inheritance" : "line c\(color % SVGStyle.lineColors.count)"
        var group = XMLElement("g", ["class": style])
        group.append(XMLElement("title", text: tooltip))
        let path = Self.path(points)
        // A wide invisible stroke makes the line easy to hover over.
        group.append(.path(path, class: "reach"))
        group.append(.path(path, class: "way"))
        if points.count > 1 {
            group.children += start.shape.svg(at: points[0], from: points[1]).map(XMLNode.element)
            let last = points.count - 1
            group.children += end.shape.svg(at: points[last], from: points[last - 1]).map(XMLNode.element)
        }
        return group
    }

    /// The path with rounded corners.
    private static func path(_ points: [DiagramPoint]) -> String {
        guard let first = points.first, let last = points.last, points.count > 1 else { return "" }
        var data = "M\(first.x.svg) \(first.y.svg)"
        for index in points.indices.dropFirst().dropLast() {
            let before = points[index - 1]
            let corner = points[index]
            let after = points[index + 1]
            let radius = min(6, before.distance(to: corner) / 2, corner.distance(to: after) / 2)
            let from = corner.step(radius, towards: before)
            let to = corner.step(radius, towards: after)
            data += "L\(from.x.svg) \(from.y.svg)Q\(corner.x.svg) \(corner.y.svg) \(to.x.svg) \(to.y.svg)"
        }
        return data + "L\(last.x.svg) \(last.y.svg)"
    }
}

extension DiagramLayout.Line.Shape {
    /// The shape at the border of a box, for a line that arrives horizontally.
    func svg(at point: DiagramPoint, from other: DiagramPoint) -> [XMLElement] {
        let side = other.x < point.x ? -1.0 : 1.0
        func x(_ distance: Double) -> String { (point.x + side * distance).svg }
        let y = point.y
        func bar(_ distance: Double) -> XMLElement {
            .path("M\(x(distance)) \((y - 5).svg)V\((y + 5).svg)", class: "end")
        }
        func circle(_ distance: Double) -> XMLElement {
            XMLElement("circle", ["class": "hollow", "cx": x(distance), "cy": y.svg, "r": "3.5"])
        }
        let foot = XMLElement.path(
            "M\(x(0)) \((y - 6).svg)L\(x(11)) \(y.svg)L\(x(0)) \((y + 6).svg)",
            class: "end"
        )
        func arrow(_ distance: Double) -> XMLElement {
            .path(
                "M\(x(distance + 9)) \((y - 5).svg)L\(x(distance)) \(y.svg)L\(x(distance + 9)) \((y + 5).svg)z",
                class: "filled"
            )
        }
        switch self {
        case .one: return [bar(6), bar(10)]
        case .zeroOrOne: return [bar(6), circle(12)]
        case .oneOrMore: return [foot, bar(14)]
        case .many: return [foot, circle(15)]
        case .arrow: return [arrow(0)]
        case .doubleArrow: return [arrow(0), arrow(7)]
        case .triangle:
            return [
                .path("M\(x(0)) \(y.svg)L\(x(13)) \((y - 7).svg)L\(x(13)) \((y + 7).svg)z", class: "hollow")
            ]
        case .plain: return []
        }
    }
}

extension DiagramPoint {
    /// The distance to a point in the same row or column.
    fileprivate func distance(to other: DiagramPoint) -> Double {
        abs(x - other.x) + abs(y - other.y)
    }

    fileprivate func step(_ length: Double, towards other: DiagramPoint) -> DiagramPoint {
        let distance = distance(to: other)
        guard distance > 0 else { return self }
        return DiagramPoint(x: x + (other.x - x) * length / distance, y: y + (other.y - y) * length / distance)
    }
}
