// SPDX-License-Identifier: Apache-2.0

// Values that are easily lost: the greatest and the smallest of each type, nil, and values close to zero.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates

extension Museum {
    /// Sets of values for a specimen, by the specimen's name. Keys that aren't listed are nil.
    static let specimens: [String: [String: Value]] = [
        "nil": [:],
        "zero": [
            "small": 0, "middle": 0, "large": 0, "price": .decimal(0), "ratio": 0.0, "share": 0.0, "flag": false,
            "made": date(0), "bytes": .data(Data()), "picture": .data(Data()),
            "tag": .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))), "link": .uri(""),
            "tree": .array([]), "place": place("", 0, .null), "title": "", "rank": 0,
        ],
        "least": [
            "small": .integer(Int64(Int16.min)), "middle": .integer(Int64(Int32.min)), "large": .integer(.min),
            "price": decimal("-99999999999999999999999999999999999999"),
            "ratio": .double(-.greatestFiniteMagnitude), "share": .double(Double(-Float.greatestFiniteMagnitude)),
            "flag": true, "made": .date(.distantPast), "rank": .integer(.min),
            "place": place("least", Int32.min, .dictionary(["x": .double(-.greatestFiniteMagnitude), "y": .null])),
        ],
        "greatest": [
            "small": .integer(Int64(Int16.max)), "middle": .integer(Int64(Int32.max)), "large": .integer(.max),
            "price": decimal("99999999999999999999999999999999999999"),
            "ratio": .double(.greatestFiniteMagnitude), "share": .double(Double(Float.greatestFiniteMagnitude)),
            "made": .date(.distantFuture), "bytes": .data(Data(UInt8.min...UInt8.max)),
            "picture": .data(Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })),
            "tag": .uuid(UUID(uuid: (255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255))),
            "link": .uri("https://example.org/%C3%A4/?q=a+b&c=%20#ä fragment"), "rank": .integer(.max),
        ],
        "tiny": [
            "large": -1, "price": decimal("0.00000000000000000000000000000000000001"),
            "ratio": .double(.leastNonzeroMagnitude), "share": .double(Double(Float.leastNonzeroMagnitude)),
            "made": date(0.001),
        ],
        "fraction": [
            "large": 9_007_199_254_740_993, "price": decimal("12345678901234567890.123456789012345678"), "ratio": 0.1,
            "share": .double(Double(Float(0.1))), "made": date(-0.123456789),
            "place": place("fraction", 7, .dictionary(["x": 0.1, "y": -0.3])),
        ],
        "far": [
            "price": decimal("123e90"), "ratio": .double(.infinity), "share": .double(-.infinity),
            "made": date(1_000_000_000_000),
        ],
        "long ago": ["price": decimal("-7e-90"), "ratio": .double(-.infinity), "made": date(-100_000_000_000.5)],
        "tree": [
            "tree": .dictionary([
                "": .null, "list": [1, -0.5, "two", true, .null, .array([[]])], "a\u{0}b": .dictionary(["é": "\r\n"]),
            ])
        ],
    ]

    /// Texts that a layer between a context and a disk may confuse.
    static let texts = [
        "", " ", "  leading and trailing  ", "\t", "\n", "\r", "\r\n", "\n\r", "one\r\ntwo\nthree\rfour",
        "\u{85}\u{2028}",
        "\u{0}", "before\u{0}after", "\u{1}\u{8}\u{B}\u{1B}\u{1F}\u{7F}", "e\u{301}", "é", "\u{301}", "A\u{30A}", "Å",
        "\u{212B}", "\u{1100}\u{1161}", "가", "ﬁ", "\u{200B}\u{200D}\u{FEFF}", "\u{FFFE}", "\u{FFFF}",
        "\u{D7FF}\u{E000}",
        "\u{10FFFF}", "𝄞", "👩‍👩‍👧‍👦", "\\uD800", "&#xD800;", "%ED%A0%80", "\\ud83d\\ude00", "&amp;&lt;<![CDATA[x]]>",
        "it's", "\"quoted\"", "' OR 1=1 --", "%_*?[a]\\", "NULL", "nil", "0", "1e3", "true", "שלום", "日本語",
        "\u{202E}abc",
        String(repeating: "long ä ", count: 20_000),
    ]

    private static func decimal(_ text: String) -> Value { Decimal(string: text).map(Value.decimal) ?? .null }

    private static func date(_ seconds: Double) -> Value { .date(Date(timeIntervalSinceReferenceDate: seconds)) }

    private static func place(_ label: String, _ floor: Int32, _ point: Value) -> Value {
        .dictionary(["label": .string(label), "floor": .integer(Int64(floor)), "point": point])
    }
}

extension Value {
    /// Whether it is the same value to the last bit: canonically equivalent texts are not.
    func isIdentical(to other: Value) -> Bool {
        switch (self, other) {
        case (.string(let one), .string(let other)), (.uri(let one), .uri(let other)):
            one.unicodeScalars.elementsEqual(other.unicodeScalars)
        case (.array(let one), .array(let other)):
            one.count == other.count && zip(one, other).allSatisfy { $0.isIdentical(to: $1) }
        case (.dictionary(let one), .dictionary(let other)):
            one.count == other.count && one.allSatisfy { other[$0].map($1.isIdentical) ?? false }
        default: self == other
        }
    }
}

extension ManagedObjectContext {
    /// Inserts a specimen with the given values and nil for all others.
    @discardableResult
    func makeSpecimen(_ name: String, _ values: [String: Value]) throws -> ManagedObject {
        let specimen = try make("Specimen", name)
        try specimen.set(values)
        return specimen
    }
}

extension ManagedObject {
    /// Sets the values of a specimen, and all others to nil.
    func set(_ values: [String: Value]) throws {
        for attribute in entity.attributes where attribute.attribute.isOptional && attribute.name != "name" {
            try setValue(values[attribute.name] ?? .null, of: attribute)
        }
    }

    /// Requires that a specimen has exactly these values.
    func requireValues(_ values: [String: Value]) throws {
        let name = try name
        for attribute in entity.attributes
        where attribute.attribute.isOptional && attribute.isPersistent && attribute.name != "name" {
            let (found, expected) = (try value(of: attribute), values[attribute.name] ?? .null)
            try require(
                found.isIdentical(to: expected),
                "“\(attribute.name)” of “\(name)”: \("\(found)".prefix(200)) instead of \("\(expected)".prefix(200))"
            )
        }
    }
}
