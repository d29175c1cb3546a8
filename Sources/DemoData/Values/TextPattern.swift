// SPDX-License-Identifier: Apache-2.0

// Texts that match a regular expression of the kind common in models: literals, sets, groups and quantifiers.

/// The supported subset of a regular expression. Each number yields another text.
struct TextPattern: Sendable {
    private indirect enum Part: Sendable {
        case letters([UInt8])
        case sequence([Part])
        case alternatives([Part])
        case repeated(Part, ClosedRange<Int>)
    }

    private let root: Part

    /// Returns nil if the expression contains unsupported syntax.
    init?(_ expression: String) {
        guard expression.utf8.count <= 200 else { return nil }
        var reader = Reader(bytes: Array(expression.utf8))
        guard let part = reader.alternatives(depth: 0), reader.isAtEnd else { return nil }
        root = part
    }

    /// The number of distinct texts with this many repetitions in unbounded parts.
    func capacity(_ length: Int) -> Int { Self.capacity(root, length) }

    func text(_ number: Int, _ length: Int) -> String {
        var rest = number
        var bytes: [UInt8] = []
        Self.write(root, length, &rest, &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func capacity(_ part: Part, _ length: Int) -> Int {
        func product(_ one: Int, _ other: Int) -> Int {
            let (product, overflow) = one.multipliedReportingOverflow(by: other)
            return overflow ? .max : product
        }
        switch part {
        case .letters(let letters): return letters.count
        case .sequence(let parts): return parts.reduce(1) { product($0, capacity($1, length)) }
        // Constant alternatives are distinct texts. Otherwise alternatives can overlap, so only the largest counts.
        case .alternatives(let parts):
            let most = parts.map { capacity($0, length) }.max() ?? 0
            return most <= 1 ? parts.count : most
        case .repeated(let part, let range):
            let single = capacity(part, length)
            return (0..<count(range, length)).reduce(1) { sum, _ in product(sum, single) }
        }
    }

    private static func write(_ part: Part, _ length: Int, _ rest: inout Int, _ bytes: inout [UInt8]) {
        switch part {
        case .letters(let letters):
            // The first letter varies fastest, so that texts differ at the beginning.
            bytes.append(letters[rest % letters.count])
            rest /= letters.count
        case .sequence(let parts): for part in parts { write(part, length, &rest, &bytes) }
        case .alternatives(let parts):
            guard let best = parts.max(by: { capacity($0, length) < capacity($1, length) }) else { return }
            guard capacity(best, length) <= 1 else { return write(best, length, &rest, &bytes) }
            let word = parts[rest % parts.count]
            rest /= parts.count
            write(word, length, &rest, &bytes)
        case .repeated(let part, let range):
            for _ in 0..<count(range, length) { write(part, length, &rest, &bytes) }
        }
    }

    private static func count(_ range: ClosedRange<Int>, _ length: Int) -> Int {
        min(max(range.lowerBound, length), range.upperBound)
    }

    /// Parses an expression; nil for unsupported syntax.
    private struct Reader {
        let bytes: [UInt8]
        var index = 0

        var isAtEnd: Bool { index == bytes.count }
        private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

        private static let depthLimit = 16
        private static let printable = Array(UInt8(0x21)...0x7E)
        private static let digits = Array(UInt8(ascii: "0")...UInt8(ascii: "9"))
        private static let small = Array(UInt8(ascii: "a")...UInt8(ascii: "z"))
        private static let large = Array(UInt8(ascii: "A")...UInt8(ascii: "Z"))

        private mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard next == UInt8(ascii: character) else { return false }
            index += 1
            return true
        }

        mutating func alternatives(depth: Int) -> Part? {
            guard depth < Self.depthLimit else { return nil }
            var parts: [Part] = []
            repeat {
                guard let part = sequence(depth: depth) else { return nil }
                parts.append(part)
            } while take("|")
            return parts.count == 1 ? parts[0] : .alternatives(parts)
        }

        private mutating func sequence(depth: Int) -> Part? {
            var parts: [Part] = []
            while let byte = next, byte != UInt8(ascii: "|"), byte != UInt8(ascii: ")") {
                if take("^") || take("$") { continue }
                guard let part = atom(depth: depth), let repeated = repetition(of: part) else { return nil }
                parts.append(repeated)
            }
            return .sequence(parts)
        }

        private mutating func atom(depth: Int) -> Part? {
            guard let byte = next else { return nil }
            index += 1
            switch Unicode.Scalar(byte) {
            case "(":
                if take("?") {
                    guard take(":") else { return nil }
                }
                guard let part = alternatives(depth: depth + 1), take(")") else { return nil }
                return part
            case "[": return set()
            case ".": return .letters(Self.small + Self.digits)
            case "\\": return escape().map { .letters(Self.readableCharacters($0)) }
            case "*", "+", "?", "{", "}", "]": return nil
            default: return byte < 0x80 ? .letters([byte]) : nil
            }
        }

        private mutating func escape() -> [UInt8]? {
            guard let byte = next else { return nil }
            index += 1
            switch Unicode.Scalar(byte) {
            case "d": return Self.digits
            case "w": return Self.small + Self.large + Self.digits + [UInt8(ascii: "_")]
            case "s": return [UInt8(ascii: " ")]
            case "S", "D", "W": return byte == UInt8(ascii: "D") ? Self.small : Self.small + Self.digits
            case "a"..."z", "A"..."Z", "0"..."9": return nil
            default: return byte < 0x80 ? [byte] : nil
            }
        }

        private mutating func set() -> Part? {
            let isNegated = take("^")
            var members: [UInt8] = []
            while let byte = next, byte != UInt8(ascii: "]") || members.isEmpty {
                index += 1
                // Nested sets and set operations are ICU extensions.
                if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "&") || byte >= 0x80 { return nil }
                var first = [byte]
                if byte == UInt8(ascii: "\\") {
                    guard let escaped = escape() else { return nil }
                    first = escaped
                }
                guard first.count == 1, next == UInt8(ascii: "-"), index + 1 < bytes.count,
                    bytes[index + 1] != UInt8(ascii: "]")
                else {
                    members += first
                    continue
                }
                index += 1
                guard let last = next, last >= first[0], last < 0x80, last != UInt8(ascii: "\\") else { return nil }
                index += 1
                members += Array(first[0]...last)
            }
            guard take("]") else { return nil }
            let letters = isNegated ? Self.printable.filter { !members.contains($0) } : members
            return letters.isEmpty ? nil : .letters(Self.readableCharacters(letters))
        }

        private mutating func repetition(of part: Part) -> Part? {
            var range = 1...1
            if take("*") {
                range = 0...Int.max
            } else if take("+") {
                range = 1...Int.max
            } else if take("?") {
                range = 0...1
            } else if take("{") {
                guard let least = number() else { return nil }
                var most = least
                if take(",") { most = next == UInt8(ascii: "}") ? .max : number() ?? -1 }
                guard take("}"), least <= most, least <= 200 else { return nil }
                range = least...most
            } else {
                return part
            }
            // Lazy and possessive quantifiers make no difference for writing.
            if !take("?") { _ = take("+") }
            return .repeated(part, range)
        }

        private mutating func number() -> Int? {
            let start = index
            while let byte = next, Self.digits.contains(byte), index - start < 6 { index += 1 }
            return Int(String(decoding: bytes[start..<index], as: UTF8.self))
        }

        /// The readable letters of a set, or all if there are none.
        private static func readableCharacters(_ letters: [UInt8]) -> [UInt8] {
            let unique = letters.reduce(into: [UInt8]()) { if !$0.contains($1) { $0.append($1) } }
            for choice in [small + digits, large + digits, small + large + digits] {
                let some = unique.filter(choice.contains)
                if !some.isEmpty { return some }
            }
            return unique
        }
    }
}
