// SPDX-License-Identifier: Apache-2.0

// Which transformable values have bytes in a known format.

public import ObjectModel

extension AttributeType {
    /// Whether values are transformed by an app's own class, so that their bytes are opaque.
    public var isTransformedByApp: Bool {
        guard let name = transformerName else { return false }
        return !name.isEmpty && !Self.archivingTransformers.contains(name)
    }

    /// Core Data's own transformers create archives. They are also known by their class names.
    private static let archivingTransformers = Set(
        ["NSSecureUnarchiveFromData", "NSUnarchiveFromData", "NSKeyedUnarchiveFromData"].flatMap {
            [$0, $0 + "Transformer", $0 + "TransformerName"]
        }
    )
}
