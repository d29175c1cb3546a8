// SPDX-License-Identifier: Apache-2.0

// The way in: a model becomes a graph of boxes and lines, these get their places, and the result is drawn.

public import ObjectModel

/// A picture of a model: entities as boxes with their properties, relationships as lines between them.
///
/// ```swift
/// let text = ModelDiagram(model, options: DiagramOptions(title: "Blog")).svg()
/// ```
///
/// The same model and options give the same text.
public struct ModelDiagram: Sendable {
    public var model: Model
    public var options: DiagramOptions

    public init(_ model: Model, options: DiagramOptions = DiagramOptions()) {
        self.model = model
        self.options = options
    }

    /// Where everything stands, without drawing it.
    public func layout() -> DiagramLayout {
        DiagramLayout(of: DiagramGraph(of: model, options: options), options: options)
    }

    /// The picture as the text of a self-contained SVG file, for light and dark surroundings.
    public func svg() -> String {
        SVGDrawing(of: layout()).text
    }
}
