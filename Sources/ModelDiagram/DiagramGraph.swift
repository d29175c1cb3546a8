// SPDX-License-Identifier: Apache-2.0

import ObjectModel

/// The boxes and links of a diagram, without positions.
struct DiagramGraph {
    var boxes: [BoxContent] = []
    var links: [Link] = []
    /// The numbers of entities and links left out because of the limits in the options.
    var omittedEntities = 0
    var omittedLinks = 0

    /// A line to be drawn. It starts at the owner: the entity with the to-many relationship, the entity that cascades,
    /// or the parent.
    struct Link {
        struct End {
            var box: Int
            /// The index of the relationship in the box's list, or nil if the line doesn't end at a row.
            var row: Int?
            var shape: DiagramLayout.Line.Shape
        }

        var kind: DiagramLayout.Line.Kind
        var start: End
        var end: End
    }

    init(of model: Model, options: DiagramOptions) {
        let entities = model.entities.prefix(max(0, options.maximumEntities))
        omittedEntities = model.entities.count - entities.count
        boxes = entities.map { BoxContent(of: $0, maximumAttributes: options.maximumAttributes) }
        let all = RelationshipPairing(of: Array(entities)).links
        links = Array(all.prefix(max(0, options.maximumLines)))
        omittedLinks = all.count - links.count
    }
}
