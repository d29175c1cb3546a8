// SPDX-License-Identifier: Apache-2.0

// The options of fetch requests in compiled models.

/// What a fetch request says by single bits. Which of the four that are set by default is which isn't known, so they are taken
/// for what the order of the options in Core Data's documentation suggests.
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
    /// The options by bits; those that are as usual are not mentioned.
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
