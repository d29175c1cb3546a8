// SPDX-License-Identifier: Apache-2.0

// Resolves references to the objects of an archive.

extension KeyedArchive {
    func value(_ value: PropertyListValue) -> ArchivedValue {
        guard case .uid(let uid) = value else { return inline(value, at: nil) }
        // An object that is itself a reference is not written by archivers, and is not followed.
        guard let place = Int(exactly: uid), objects.indices.contains(place), place > 0 else { return .null }
        return inline(objects[place], at: place)
    }

    private func inline(_ value: PropertyListValue, at place: Int?) -> ArchivedValue {
        switch value {
        case .boolean(let value): .boolean(value)
        case .integer(let value): .integer(value)
        case .real(let value): .real(value)
        case .string(let value): .string(value)
        case .data(let value): .data(value)
        case .date(let value): .date(value)
        case .array(let values): .array(ArchivedList(archive: self, values: values))
        case .dictionary(let contents): object(contents, at: place)
        case .uid: .null
        }
    }

    private func object(_ contents: PropertyListDictionary, at place: Int?) -> ArchivedValue {
        guard let place, let classPlace = contents["$class"]?.uid.flatMap(Int.init(exactly:)),
            let chain = classes[classPlace]
        else { return .null }
        let object = ArchivedObject(archive: self, contents: contents, place: place, classChain: chain)
        return object.unwrapped ?? .object(object)
    }
}

extension ArchivedObject {
    /// The value that the object wraps, if it is of one of Foundation's classes.
    fileprivate var unwrapped: ArchivedValue? {
        // Objects of these classes that can't be unwrapped are returned as objects.
        for name in classChain {
            switch name {
            case "NSArray": return list("NS.objects").map(ArchivedValue.array)
            case "NSSet", "NSOrderedSet": return list("NS.objects").map(ArchivedValue.set)
            case "NSDictionary":
                guard let keys = list("NS.keys"), let values = list("NS.objects") else { return nil }
                return .dictionary(ArchivedDictionary(keys: keys, values: values))
            case "NSString": return contents["NS.string"]?.string.map(ArchivedValue.string)
            case "NSData": return contents["NS.data"]?.data.map(ArchivedValue.data)
            case "NSDate": return contents["NS.time"]?.number.map(ArchivedValue.date)
            case "NSNull": return .null
            case "NSUUID":
                return contents["NS.uuidbytes"]?.data.flatMap { $0.count == 16 ? .uuid($0) : nil }
            case "NSURL": return url
            case "NSDecimalNumber": return ArchivedDecimal(contents).map(ArchivedValue.decimal)
            default: continue
            }
        }
        return nil
    }

    private func list(_ key: String) -> ArchivedList? {
        contents[key]?.array.map { ArchivedList(archive: archive, values: $0) }
    }

    /// A URL. One with a base URL isn't resolved.
    private var url: ArchivedValue? {
        // Only text is followed, so that nested URLs can't cause recursion.
        guard contents["NS.base"].map({ $0 == KeyedArchiveBuilder.null }) ?? true else { return nil }
        guard case .uid(let uid)? = contents["NS.relative"], let place = Int(exactly: uid),
            archive.objects.indices.contains(place), let text = archive.objects[place].string
        else { return contents["NS.relative"]?.string.map(ArchivedValue.url) }
        return .url(text)
    }
}

extension PropertyListValue {
    /// A real number, also if it was written as an integer.
    fileprivate var number: Double? { real ?? integer(Int128.self).map(Double.init) }
}
