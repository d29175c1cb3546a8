// SPDX-License-Identifier: Apache-2.0

// Who knows what the bytes of a transformable value mean.

public import ObjectModel

extension AttributeType {
    /// Whether values are transformed by a class of the app's own, so that their bytes mean nothing here.
    public var isTransformedByApp: Bool {
        guard let name = transformerName else { return false }
        return !name.isEmpty && !Self.archivingTransformers.contains(name)
    }

    /// Core Data's own make archives. A class goes by its own name, too.
    private static let archivingTransformers = Set(
        ["NSSecureUnarchiveFromData", "NSUnarchiveFromData", "NSKeyedUnarchiveFromData"].flatMap {
            [$0, $0 + "Transformer", $0 + "TransformerName"]
        }
    )
}
