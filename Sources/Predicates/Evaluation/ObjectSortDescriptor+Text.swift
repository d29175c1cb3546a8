// SPDX-License-Identifier: Apache-2.0

// The short text form of sort descriptors: `-createdAt`, `title[cd]`, several separated by commas.

extension ObjectSortDescriptor {
    /// Parses one descriptor.
    public init(parsing text: String) throws(SortDescriptorError) {
        let list = try Self.list(parsing: text)
        guard list.count == 1 else {
            throw .invalidKey(
                text,
                at: text.distance(from: text.startIndex, to: text.firstIndex(of: ",") ?? text.endIndex)
            )
        }
        self = list[0]
    }

    /// Parses descriptors separated by commas: `-createdAt,title[cd],author.name`.
    public static func list(parsing text: String) throws(SortDescriptorError) -> [ObjectSortDescriptor] {
        var list: [ObjectSortDescriptor] = []
        var position = 0
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            list.append(try Self(part, at: position))
            position += part.count + 1
        }
        return list
    }

    private init(_ text: Substring, at start: Int) throws(SortDescriptorError) {
        var rest = text
        var position = start
        func skipSpaces() {
            while rest.first?.isWhitespace == true { rest.removeFirst(); position += 1 }
            while rest.last?.isWhitespace == true { rest.removeLast() }
        }
        skipSpaces()
        let ascending = rest.first != "-"
        if !ascending {
            rest.removeFirst()
            position += 1
            skipSpaces()
        }
        let path = rest.prefix { $0 != "[" }
        guard !path.isEmpty else { throw .missingKeyPath(at: position) }
        let options = try Self.options(rest.dropFirst(path.count), at: position + path.count)
        for key in path.split(separator: ".", omittingEmptySubsequences: false) {
            guard Self.isKey(key) else { throw .invalidKey(String(key), at: position) }
            position += key.count + 1
        }
        self.init(String(path), ascending: ascending, options: options)
    }

    private static func options(_ text: Substring, at position: Int) throws(SortDescriptorError) -> Comparison.Options {
        if text.isEmpty { return [] }
        var options: Comparison.Options = []
        for letter in text.dropFirst().dropLast() {
            guard let option = letters.first(where: { $0.letter == letter })?.option else {
                throw .invalidOptions(String(text), at: position)
            }
            options.insert(option)
        }
        guard text.last == "]", text.count > 2 else { throw .invalidOptions(String(text), at: position) }
        return options
    }

    private static func isKey(_ text: Substring) -> Bool {
        if CollectionOperator(rawValue: String(text)) != nil { return true }
        guard let first = text.first, first == "_" || first.isLetter else { return false }
        return text.dropFirst().allSatisfy { $0 == "_" || $0.isLetter || $0.isNumber }
    }

    fileprivate static let letters: [(letter: Character, option: Comparison.Options)] = [
        ("c", .caseInsensitive), ("d", .diacriticInsensitive), ("n", .normalized), ("l", .localeSensitive),
    ]
}

extension ObjectSortDescriptor: CustomStringConvertible {
    /// The short text form, which parses back to the descriptor if it sorts by a key path from the object.
    public var description: String {
        let letters = Self.letters.filter { options.contains($0.option) }.map { String($0.letter) }.joined()
        return (ascending ? "" : "-") + path + (letters.isEmpty ? "" : "[\(letters)]")
    }

    private var path: String {
        guard case .keyPath(of: .evaluatedObject, let keys) = keyPath else { return "\(keyPath)" }
        return keys.map { key in
            switch key {
            case .name(let name): name
            case .collection(let aggregate): aggregate.rawValue
            case .argument: "%K"
            }
        }.joined(separator: ".")
    }
}
