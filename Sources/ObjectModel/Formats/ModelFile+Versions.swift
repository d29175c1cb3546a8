// SPDX-License-Identifier: Apache-2.0

// The order of versions, and the choice of the current one.

import SourceText

extension ModelFile {
    /// Sorts the versions and finds the current one: the named one, or the last.
    init(versions: [ModelVersion], current: String?, at place: ModelIssue.Place) throws(ModelError) {
        guard !versions.isEmpty else { throw ModelError(.noVersion, at: place, "The model has no versions.") }
        var versions = versions.sorted { $0.name.naturallyPrecedes($1.name) }
        if let current {
            guard let index = versions.firstIndex(where: { $0.name == current }) else {
                let names = versions.map(\.name)
                throw ModelError(
                    .noVersion,
                    at: place,
                    "The current version “\(current)” doesn't exist.",
                    hint: Spelling.hint(for: current, among: names)
                        ?? "The versions are \(names.joined(separator: ", "))."
                )
            }
            self.init(versions: versions, currentIndex: index)
            return
        }
        let last = versions.count - 1
        if last > 0 {
            versions[last].issues.append(
                ModelIssue(
                    .modelCurrent,
                    at: place,
                    "No version is marked as current, so the last one, “\(versions[last].name)”, is used."
                )
            )
        }
        self.init(versions: versions, currentIndex: last)
    }
}

extension String {
    /// Natural order: numbers in names are compared as numbers, and case is the last criterion.
    func naturallyPrecedes(_ other: String) -> Bool {
        let mine = lowercased().naturalParts
        let others = other.lowercased().naturalParts
        for (part, otherPart) in zip(mine, others) where part != otherPart { return part < otherPart }
        return mine.count == others.count ? self < other : mine.count < others.count
    }

    private var naturalParts: [NaturalPart] {
        var parts: [NaturalPart] = []
        var rest = utf8[...]
        while let first = rest.first {
            guard first.isDigit else {
                parts.append(.byte(rest.removeFirst()))
                continue
            }
            let digits = rest.prefix(while: \.isDigit)
            rest = rest[digits.endIndex...]
            parts.append(.number(Array(digits.drop { $0 == UInt8(ascii: "0") })))
        }
        return parts
    }
}

/// A byte, or the digits of a number.
private enum NaturalPart: Comparable {
    case number([UInt8])
    case byte(UInt8)

    static func < (one: NaturalPart, other: NaturalPart) -> Bool {
        switch (one, other) {
        case (.number(let one), .number(let other)):
            one.count == other.count ? one.lexicographicallyPrecedes(other) : one.count < other.count
        case (.byte(let one), .byte(let other)): one < other
        case (.number, .byte(let byte)): UInt8(ascii: "0") < byte
        case (.byte(let byte), .number): byte < UInt8(ascii: "0")
        }
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
}
