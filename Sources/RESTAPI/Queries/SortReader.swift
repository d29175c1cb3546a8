// SPDX-License-Identifier: Apache-2.0

// Reads sort orders: `-createdAt,author.name,title[cd]`.

import ObjectGraph
import ObjectModel
import Predicates

struct SortReader {
    let paths: KeyPathReader
    /// The expressions of names that aren't key paths.
    var columns: [String: ObjectExpression] = [:]

    func descriptors(_ text: String) throws(Problem) -> [ObjectSortDescriptor] {
        var descriptors: [ObjectSortDescriptor] = []
        for part in try paths.parts(text, atMost: Self.maximumKeys) {
            descriptors.append(try descriptor(part.text, at: part.position))
            // Keys after an object's number have no effect.
            if descriptors.last?.keyPath == Self.number { break }
        }
        return descriptors
    }

    /// Limited, since a cursor's condition compares each key and all before it.
    private static let maximumKeys = 16
    private static let number = ObjectExpression.keyPath("objectID")

    private func descriptor(_ text: String, at start: Int) throws(Problem) -> ObjectSortDescriptor {
        var rest = text[...]
        let ascending = rest.first != "-"
        if !ascending { rest = rest.dropFirst() }
        let position = start + (ascending ? 0 : 1)
        let path = rest.prefix { $0 != "[" }
        let options = try options(rest.dropFirst(path.count), at: position + path.unicodeScalars.count)
        guard !path.isEmpty else {
            throw paths.problem("A key path is missing.", hint: "Write it as -createdAt,title[cd].", at: position)
        }
        if let key = Self.keyOfDirection(path) {
            throw paths.problem(
                "“\(path)” isn't a key path.",
                hint: "A minus means descending: sort=-\(key). Ascending needs nothing: sort=\(key).",
                at: position
            )
        }
        if let column = columns[String(path)] {
            return ObjectSortDescriptor(column, ascending: ascending, options: options)
        }
        let read = try paths.path(path, at: position)
        if read.keys.isEmpty {
            return ObjectSortDescriptor(Self.number, ascending: ascending)
        }
        guard !read.end.isMany else {
            throw paths.problem(
                "“\(path)” has many values, which can't be sorted by.",
                hint: "Reduce them to one, such as \(path).@count.",
                at: position
            )
        }
        if case .object = read.end.kind {
            throw paths.problem("“\(path)” is an object.", hint: "Sort by one of its attributes.", at: position)
        }
        if let attribute = read.attribute, !attribute.elements.isEmpty {
            let parts = attribute.elements.map { "\(path).\(ResourceProperty.name(of: $0.name))" }
            throw paths.problem(
                "“\(path)” is a composite.",
                hint: "Sort by one of its elements: \(parts.joined(separator: ", ")).",
                at: position
            )
        }
        switch read.attribute?.type {
        case .transformable, .binary:
            throw paths.problem(
                "“\(path)” has values without an order.",
                hint: "Sort by another attribute, or by _id.",
                at: position
            )
        default: return ObjectSortDescriptor(read.expression, ascending: ascending, options: options)
        }
    }

    /// The key of a text such as `views desc` or `views:asc`; nil for any other.
    private static func keyOfDirection(_ text: Substring) -> Substring? {
        guard let separator = text.firstIndex(where: { " :".contains($0) }) else { return nil }
        let word = text[separator...].dropFirst().lowercased().filter { $0 != " " }
        return ["asc", "desc", "ascending", "descending"].contains(word) ? text[..<separator] : nil
    }

    private func options(_ text: Substring, at position: Int) throws(Problem) -> Comparison.Options {
        guard !text.isEmpty else { return [] }
        var options: Comparison.Options = []
        for letter in text.dropFirst().dropLast() {
            switch letter {
            case "c": options.insert(.caseInsensitive)
            case "d": options.insert(.diacriticInsensitive)
            case "l": options.insert(.localeSensitive)
            default: options.insert(.normalized)
            }
        }
        guard text.last == "]", text.count > 2, !options.contains(.normalized) else {
            throw paths.problem("“\(text)” aren't valid options.", hint: "Use [c], [d], [cd] or [l].", at: position)
        }
        return options
    }
}
