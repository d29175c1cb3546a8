// SPDX-License-Identifier: Apache-2.0

// Draws a layout as SVG.

import XML

struct SVGDrawing {
    private let layout: DiagramLayout

    init(of layout: DiagramLayout) {
        self.layout = layout
    }

    var text: String {
        do throws(XMLError) {
            return try root.serialized(
                XMLFormat(
                    declaration: .plain,
                    indentation: .spaces(1),
                    indentsRootChildren: true,
                    endsWithNewline: true
                )
            )
        } catch {
            preconditionFailure("All text in a layout has been made fit for XML: \(error)")
        }
    }

    private var root: XMLElement {
        let width = layout.width.svg
        let height = layout.height.svg
        let relationships = layout.lines.filter { $0.kind != .inheritance }.count
        let title = layout.labels.first { $0.kind == .title }?.text ?? "Data model"
        return XMLElement(
            "svg",
            [
                "xmlns": "http://www.w3.org/2000/svg", "class": "model", "role": "img", "width": width,
                "height": height, "viewBox": "0 0 \(width) \(height)",
            ],
            [
                XMLElement("title", text: title),
                XMLElement(
                    "desc",
                    text: "\(layout.boxes.count) entities as boxes with their properties, and \(relationships) lines"
                        + " for the relationships between them."
                ),
                XMLElement("style", text: SVGStyle.text),
                XMLElement("rect", ["class": "page", "width": width, "height": height]),
                XMLElement("g", ["class": "labels"], layout.labels.map(Self.label)),
                XMLElement("g", ["class": "lines"], layout.lines.map(\.svg)),
                XMLElement("g", ["class": "boxes"], layout.boxes.map(\.svg)),
                XMLElement("g", ["class": "legend"], layout.legend.map(\.svg)),
            ]
        )
    }

    private static func label(_ label: DiagramLayout.Label) -> XMLElement {
        .text(label.text, x: label.rect.x, y: label.rect.maxY - 8, class: label.kind == .title ? "headline" : "note")
    }
}

extension XMLElement {
    static func text(_ text: String, x: Double, y: Double, class style: String) -> XMLElement {
        var element = XMLElement("text", ["class": style, "x": x.svg, "y": y.svg])
        element.children = [.text(text)]
        return element
    }

    static func path(_ data: String, class style: String) -> XMLElement {
        XMLElement("path", ["class": style, "d": data])
    }
}

extension Double {
    /// The number with at most one decimal, without a zero fraction.
    var svg: String {
        let tenths = (self * 10).rounded() / 10
        return tenths == tenths.rounded() ? String(Int(tenths)) : String(tenths)
    }
}
