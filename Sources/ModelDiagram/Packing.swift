// SPDX-License-Identifier: Apache-2.0

// Packs rectangles onto a page, each as high as possible below the skyline of the previous ones.

struct Packing {
    struct Item {
        var width: Double
        var height: Double
        /// Whether the item is in a grid with columns of its own width.
        var isOnGrid: Bool
    }

    private struct Step {
        var x: Double
        var width: Double
        var y: Double
    }

    private var skyline: [Step]
    private(set) var places: [DiagramPoint] = []
    private(set) var width = 0.0
    private(set) var height = 0.0

    /// Packs items in order onto pages of several widths, and returns the packing that can be displayed largest.
    static func best(of items: [Item], gap: Double) -> Packing {
        let area = items.reduce(0) { $0 + ($1.width + gap) * ($1.height + gap) }
        let widest = items.map(\.width).max() ?? 0
        let side = (area * DiagramMetrics.aspectRatio).squareRoot()
        let packings = [0.7, 0.85, 1, 1.15, 1.3, 1.5].map { factor in
            Packing(items, width: max(widest, side * factor) + gap, gap: gap)
        }
        let ratio = DiagramMetrics.aspectRatio
        return packings.min { max($0.width / ratio, $0.height) < max($1.width / ratio, $1.height) }
            ?? Packing([], width: 0, gap: gap)
    }

    private init(_ items: [Item], width page: Double, gap: Double) {
        skyline = [Step(x: 0, width: page, y: 0)]
        for item in items {
            let place = place(for: item.width + gap, isOnGrid: item.isOnGrid, on: page)
            cover(x: place.x, width: item.width + gap, upTo: place.y + item.height + gap)
            places.append(place)
            width = max(width, place.x + item.width)
            height = max(height, place.y + item.height)
        }
    }

    /// The highest free place of the given width, and the leftmost among several.
    private func place(for width: Double, isOnGrid: Bool, on page: Double) -> DiagramPoint {
        let starts = isOnGrid ? Array(stride(from: 0, through: page - width, by: width)) : skyline.map(\.x)
        var best: DiagramPoint?
        for x in starts where x + width <= page {
            let steps = skyline.lazy.filter { $0.x < x + width && x < $0.x + $0.width }
            let y = steps.map(\.y).max() ?? 0
            if best.map({ y < $0.y }) ?? true { best = DiagramPoint(x: x, y: y) }
        }
        return best ?? DiagramPoint(x: 0, y: skyline.map(\.y).max() ?? 0)
    }

    private mutating func cover(x: Double, width: Double, upTo y: Double) {
        var steps: [Step] = []
        var isPlaced = false
        for step in skyline {
            if step.x < x { steps.append(Step(x: step.x, width: min(step.width, x - step.x), y: step.y)) }
            if !isPlaced, step.x + step.width > x {
                steps.append(Step(x: x, width: width, y: y))
                isPlaced = true
            }
            let rest = step.x + step.width - (x + width)
            if rest > 0 {
                steps.append(Step(x: max(step.x, x + width), width: min(step.width, rest), y: step.y))
            }
        }
        skyline = steps
    }
}
