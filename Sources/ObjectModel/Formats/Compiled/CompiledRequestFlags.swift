// SPDX-License-Identifier: Apache-2.0

/// The single-bit options of a fetch request. The meaning of the four bits that are set by default isn't documented;
/// they are assumed to follow the order of the options in Core Data's documentation.
struct CompiledRequestFlags: OptionSet {
    let rawValue: Int

    static let distinct = CompiledRequestFlags(rawValue: 1)
    static let subentities = CompiledRequestFlags(rawValue: 2)
    static let propertyValues = CompiledRequestFlags(rawValue: 4)
    static let faults = CompiledRequestFlags(rawValue: 8)
    static let pendingChanges = CompiledRequestFlags(rawValue: 16)

    static let standard: CompiledRequestFlags = [.subentities, .propertyValues, .faults, .pendingChanges]
}

extension FetchRequestTemplate {
    /// The options as bits. Options with default values are nil.
    var flags: CompiledRequestFlags {
        get {
            var flags = CompiledRequestFlags.standard
            for (flag, option) in Self.options where self[keyPath: option] != nil {
                if self[keyPath: option] == true { flags.insert(flag) } else { flags.remove(flag) }
            }
            return flags
        }
        set {
            for (flag, option) in Self.options {
                let isSet = newValue.contains(flag)
                self[keyPath: option] = isSet == CompiledRequestFlags.standard.contains(flag) ? nil : isSet
            }
        }
    }

    private static var options: [(CompiledRequestFlags, WritableKeyPath<FetchRequestTemplate, Bool?>)] {
        [
            (.distinct, \.returnsDistinctResults), (.subentities, \.includesSubentities),
            (.propertyValues, \.includesPropertyValues), (.faults, \.returnsObjectsAsFaults),
            (.pendingChanges, \.includesPendingChanges),
        ]
    }
}
