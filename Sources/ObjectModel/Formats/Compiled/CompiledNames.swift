// SPDX-License-Identifier: Apache-2.0

/// The single-bit options of an attribute in a compiled model.
struct CompiledFlags: OptionSet {
    let rawValue: Int

    static let externalStorage = CompiledFlags(rawValue: 4)
    static let preservedAfterDeletion = CompiledFlags(rawValue: 16)
}

enum CompiledNames {
    /// Xcode's key for the class of a transformable attribute's values.
    static let customClass = "customClassName"
    static let compositeElements = "NSElements"
    /// Core Data has no names for composites, so this key is the project's own.
    static let compositeName = "OutcropCompositeName"
}

extension AttributeType {
    /// The types that are fully described by a number, with the classes of their values.
    private static let compiled: [(number: Int, type: AttributeType, className: String?)] = [
        (0, .undefined, nil), (100, .int16, "NSNumber"), (200, .int32, "NSNumber"), (300, .int64, "NSNumber"),
        (400, .decimal, "NSDecimalNumber"), (500, .double, "NSNumber"), (600, .float, "NSNumber"),
        (700, .string, "NSString"), (800, .bool, "NSNumber"), (900, .date, "NSDate"), (1000, .binary, "NSData"),
        (1100, .uuid, "NSUUID"), (1200, .uri, "NSURL"), (1800, .transformable(transformer: nil), nil),
        (2000, .objectID, "NSManagedObjectID"), (2100, .composite(""), "NSDictionary"),
    ]

    /// The type of a number, without the name of a transformer or composite.
    init?(compiled number: Int) {
        guard let type = Self.compiled.first(where: { $0.number == number })?.type else { return nil }
        self = type
    }

    private var entry: (number: Int, type: AttributeType, className: String?)? {
        switch self {
        case .transformable: Self.compiled.first { $0.number == 1800 }
        case .composite: Self.compiled.first { $0.number == 2100 }
        default: Self.compiled.first { $0.type == self }
        }
    }

    var compiledNumber: Int { entry?.number ?? 0 }

    var compiledClassName: String? { entry?.className }
}
