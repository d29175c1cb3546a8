// SPDX-License-Identifier: Apache-2.0

// Checks the rules that every layout satisfies, and returns a sentence for each violation.

import ModelDiagram

func layoutFaults(_ layout: DiagramLayout) -> [String] {
    let page = DiagramRect(x: 0, y: 0, width: layout.width, height: layout.height)
    var faults: [String] = []
    for (index, box) in layout.boxes.enumerated() {
        for other in layout.boxes[(index + 1)...] where box.rect.intersects(other.rect) {
            faults.append("\(box.entityName) overlaps \(other.entityName)")
        }
        let parts = [box.header] + box.rows.map(\.rect)
        for part in parts where !box.rect.contains(part) { faults.append("\(box.entityName) has a part outside") }
        for (number, part) in parts.enumerated() {
            for other in parts[(number + 1)...] where part.intersects(other) {
                faults.append("\(box.entityName) has parts that overlap")
            }
        }
    }
    for line in layout.lines { faults += lineFaults(line, in: layout) }
    faults += sharedWays(in: layout)
    let framed = layout.boxes.map(\.rect) + layout.labels.map(\.rect) + layout.legend.map(\.rect)
    for rect in framed where !page.contains(rect) { faults.append("\(rect) is off the page") }
    let around = layout.labels.map(\.rect) + layout.legend.map(\.rect)
    for (index, rect) in around.enumerated() {
        let others = around[(index + 1)...] + layout.boxes.map(\.rect)
        for other in others where rect.intersects(other) { faults.append("a label at \(rect) overlaps \(other)") }
    }
    return faults
}

private func lineFaults(_ line: DiagramLayout.Line, in layout: DiagramLayout) -> [String] {
    var faults: [String] = []
    guard let first = line.points.first, let last = line.points.last, line.points.count > 1 else {
        return ["\(line.tooltip) has no way"]
    }
    for (end, point) in [(line.start, first), (line.end, last)] {
        let rect = layout.boxes[end.box].rect
        let isOnSide = (point.x == rect.x || point.x == rect.maxX) && point.y > rect.y && point.y < rect.maxY
        if !isOnSide { faults.append("\(line.tooltip) doesn't end on a side of \(layout.boxes[end.box].entityName)") }
        if let name = end.relationshipName {
            let rows = layout.boxes[end.box].rows.filter { $0.kind == .relationship && $0.propertyName == name }
            if !rows.contains(where: { $0.rect.y < point.y && point.y < $0.rect.maxY }) {
                faults.append("\(line.tooltip) doesn't end at its row")
            }
        }
    }
    for (from, to) in zip(line.points, line.points.dropFirst()) {
        if from.x != to.x, from.y != to.y { faults.append("\(line.tooltip) runs aslant") }
        let step = DiagramRect(
            x: min(from.x, to.x),
            y: min(from.y, to.y),
            width: abs(from.x - to.x),
            height: abs(from.y - to.y)
        )
        if step.x < 0 || step.y < 0 || step.maxX > layout.width || step.maxY > layout.height {
            faults.append("\(line.tooltip) leaves the page")
        }
        for box in layout.boxes where box.rect.intersects(step) {
            faults.append("\(line.tooltip) runs through \(box.entityName)")
        }
    }
    return faults
}

/// Finds lines that overlap in more than a point. Lines from one parent to its subentities may overlap.
private func sharedWays(in layout: DiagramLayout) -> [String] {
    struct Step {
        var line: Int
        var from: Double
        var to: Double
    }
    var steps: [[Double]: [Step]] = [:]
    for (index, line) in layout.lines.enumerated() {
        for (from, to) in zip(line.points, line.points.dropFirst()) {
            let isVertical = from.x == to.x
            let ends = isVertical ? [from.y, to.y] : [from.x, to.x]
            steps[isVertical ? [0, from.x] : [1, from.y], default: []].append(
                Step(line: index, from: min(ends[0], ends[1]), to: max(ends[0], ends[1]))
            )
        }
    }
    var faults: [String] = []
    for (_, group) in steps {
        let sorted = group.sorted { $0.from < $1.from }
        for (index, step) in sorted.enumerated() {
            for other in sorted[(index + 1)...].prefix(while: { $0.from < step.to - 1 }) where other.line != step.line {
                let (one, two) = (layout.lines[step.line], layout.lines[other.line])
                let isTree = one.kind == .inheritance && two.kind == .inheritance && one.start.box == two.start.box
                if !isTree { faults.append("\(one.tooltip) and \(two.tooltip) share a way") }
            }
        }
    }
    return faults.sorted()
}
