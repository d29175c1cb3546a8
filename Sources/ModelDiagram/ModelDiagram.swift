// SPDX-License-Identifier: Apache-2.0

package import ObjectModel

/// A picture of a model: entities as boxes with their properties, relationships as lines between them.
///
/// ```swift
/// let text = ModelDiagram(model, options: DiagramOptions(title: "Blog")).svg()
/// ```
///
/// The result is deterministic for a model and options.
package struct ModelDiagram: Sendable {
    package var model: Model
    package var options: DiagramOptions

    package init(_ model: Model, options: DiagramOptions = DiagramOptions()) {
        self.model = model
        self.options = options
    }

    /// The positions of all parts, without drawing them.
    package func layout() -> DiagramLayout {
        DiagramLayout(of: DiagramGraph(of: model, options: options), options: options)
    }

    /// The text of a self-contained SVG file, for light and dark backgrounds.
    package func svg() -> String {
        SVGDrawing(of: layout()).text
    }
}
