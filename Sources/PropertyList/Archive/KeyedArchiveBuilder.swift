// SPDX-License-Identifier: Apache-2.0

// Builds keyed archives.

/// Collects the objects of an archive. Each is represented by a reference.
///
///     var builder = KeyedArchiveBuilder()
///     let name = builder.add("Post")
///     let entity = builder.add(class: ["NSEntityDescription", "NSObject"], [("NSEntityName", name)])
///     let bytes = builder.archive(root: entity).binary()
package struct KeyedArchiveBuilder {
    /// The reference to nil.
    package static let null = PropertyListValue.uid(0)

    private var objects: [PropertyListValue] = ["$null"]
    private var classes: [[String]: PropertyListValue] = [:]
    private var scalars: [[UInt8]: PropertyListValue] = [:]

    package init() {}

    /// Reserves a reference to an object that others refer to before its contents are known.
    package mutating func reserve() -> PropertyListValue { append("$null") }

    /// Sets the object of a reserved reference.
    package mutating func fill(
        _ place: PropertyListValue,
        class chain: [String],
        _ contents: [(String, PropertyListValue)]
    ) {
        guard let index = place.uid.flatMap(Int.init(exactly:)), objects.indices.dropFirst().contains(index) else {
            preconditionFailure("Only a place that was reserved can be filled.")
        }
        var dictionary = PropertyListDictionary(contents)
        dictionary["$class"] = self.place(ofClass: chain)
        objects[index] = .dictionary(dictionary)
    }

    /// Adds an object of a class, given with its ancestors.
    package mutating func add(class chain: [String], _ contents: [(String, PropertyListValue)]) -> PropertyListValue {
        let place = reserve()
        fill(place, class: chain, contents)
        return place
    }

    /// Adds text or a number as an object. Equal ones are added once.
    package mutating func add(_ scalar: PropertyListValue) -> PropertyListValue {
        // Compares bytes, since strings that are equal in Swift may differ in bytes.
        let bytes = BinaryWriter.bytes(ofScalar: scalar)
        if let place = scalars[bytes] { return place }
        let place = append(scalar)
        scalars[bytes] = place
        return place
    }

    package mutating func add(_ text: String?) -> PropertyListValue { text.map { add(.string($0)) } ?? Self.null }

    package mutating func add(array places: [PropertyListValue], mutable: Bool = false) -> PropertyListValue {
        add(class: (mutable ? ["NSMutableArray"] : []) + ["NSArray", "NSObject"], [("NS.objects", .array(places))])
    }

    package mutating func add(set places: [PropertyListValue]) -> PropertyListValue {
        add(class: ["NSSet", "NSObject"], [("NS.objects", .array(places))])
    }

    package mutating func add(
        dictionary entries: [(key: PropertyListValue, value: PropertyListValue)],
        mutable: Bool = false
    ) -> PropertyListValue {
        add(
            class: (mutable ? ["NSMutableDictionary"] : []) + ["NSDictionary", "NSObject"],
            [("NS.keys", .array(entries.map(\.key))), ("NS.objects", .array(entries.map(\.value)))]
        )
    }

    package mutating func add(date seconds: Double) -> PropertyListValue {
        add(class: ["NSDate", "NSObject"], [("NS.time", .real(seconds))])
    }

    package mutating func add(uuid bytes: [UInt8]) -> PropertyListValue {
        add(class: ["NSUUID", "NSObject"], [("NS.uuidbytes", .data(bytes))])
    }

    package mutating func add(url text: String) -> PropertyListValue {
        let relative = add(.string(text))
        return add(class: ["NSURL", "NSObject"], [("NS.base", Self.null), ("NS.relative", relative)])
    }

    package mutating func add(decimal: ArchivedDecimal) -> PropertyListValue {
        add(
            class: ["NSDecimalNumber", "NSNumber", "NSValue", "NSObject"],
            decimal.contents
        )
    }

    package mutating func addNull() -> PropertyListValue { add(class: ["NSNull", "NSObject"], []) }

    /// The archive as a property list.
    package func archive(root: PropertyListValue) -> PropertyListValue {
        .dictionary([
            "$version": 100_000,
            "$archiver": "NSKeyedArchiver",
            "$top": .dictionary(["root": root]),
            "$objects": .array(objects),
        ])
    }

    private mutating func append(_ object: PropertyListValue) -> PropertyListValue {
        objects.append(object)
        return .uid(UInt64(objects.count - 1))
    }

    private mutating func place(ofClass chain: [String]) -> PropertyListValue {
        if let place = classes[chain] { return place }
        precondition(!chain.isEmpty, "An object has a class.")
        let place = append([
            "$classname": .string(chain[0]), "$classes": .array(chain.map(PropertyListValue.string)),
        ])
        classes[chain] = place
        return place
    }
}
