// SPDX-License-Identifier: Apache-2.0

// Types of settings: parsing and formatting of values.

import Arguments
import HTTPServer
import JSON
import RESTAPI

/// A type of setting: its syntax on command lines, in variables and in files.
struct SettingType<Value: Sendable>: Sendable {
    /// The placeholder of the value in help.
    let placeholder: String
    var choices: [String] = []
    let read: @Sendable (String) throws(InvalidArgument) -> Value
    let write: @Sendable (Value) -> String
    /// Whether the value is a number in files; otherwise it is text.
    var isNumber = false
    /// Whether it is a number with an optional unit.
    var isAmount = false
}

extension SettingType where Value == String {
    static func text(_ placeholder: String) -> SettingType {
        SettingType(
            placeholder: placeholder,
            read: { word throws(InvalidArgument) in
                if word.isEmpty { throw InvalidArgument("expected a text that isn't empty") }
                return word
            },
            write: { $0 }
        )
    }
}

extension SettingType where Value == Int {
    static func count(_ range: ClosedRange<Int> = 1...Int(Int32.max)) -> SettingType {
        SettingType(
            placeholder: "N",
            read: { word throws(InvalidArgument) in
                guard let number = Int(word) else { throw InvalidArgument("expected an integer") }
                guard range.contains(number) else {
                    throw InvalidArgument("expected a number from \(range.lowerBound) to \(range.upperBound)")
                }
                return number
            },
            write: { "\($0)" },
            isNumber: true
        )
    }

    static let bytes = SettingType(
        placeholder: "SIZE",
        read: { word throws(InvalidArgument) in
            let units = ["": 0, "B": 0, "KiB": 10, "MiB": 20, "GiB": 30, "TiB": 40]
            let (digits, unit) = word.amount
            guard let shift = units[unit], let number = Int(digits), number >= 1, number <= Int.max >> shift else {
                throw InvalidArgument("expected a number of bytes, such as 65536, 64 KiB or 16 MiB")
            }
            return number << shift
        },
        write: { bytes in
            for (unit, shift) in [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)]
            where bytes > 0 && bytes % (1 << shift) == 0 {
                return "\(bytes >> shift) \(unit)"
            }
            return "\(bytes) B"
        },
        isAmount: true
    )
}

extension SettingType where Value == Duration {
    static let duration = SettingType(
        placeholder: "TIME",
        read: { word throws(InvalidArgument) in
            let units = ["": 1_000, "ms": 1, "s": 1_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000]
            let (digits, unit) = word.amount
            guard let factor = units[unit], let number = Int(digits), (0...1_000_000_000).contains(number) else {
                throw InvalidArgument("expected a time, such as 250 ms, 5 s or 2 min")
            }
            return .milliseconds(number * factor)
        },
        write: { duration in
            let milliseconds = duration.milliseconds
            if milliseconds % 1_000 != 0 { return "\(milliseconds) ms" }
            let seconds = milliseconds / 1_000
            if seconds > 86_400, seconds % 86_400 == 0 { return "\(seconds / 86_400) d" }
            if seconds > 0, seconds % 3_600 == 0 { return "\(seconds / 3_600) h" }
            return seconds > 0 && seconds % 60 == 0 ? "\(seconds / 60) min" : "\(seconds) s"
        },
        isAmount: true
    )
}

extension SettingType where Value == ListenAddress {
    static let address = SettingType(
        placeholder: "ADDRESS",
        read: { word throws(InvalidArgument) in
            guard let address = ListenAddress(word) else {
                throw InvalidArgument(
                    "expected an address, such as 127.0.0.1:8080, [::1]:8080 or unix:/run/outcrop.sock"
                )
            }
            return address
        },
        write: { $0.description }
    )
}

extension SettingType where Value == HostName {
    static let host = SettingType(
        placeholder: "NAME",
        read: { word throws(InvalidArgument) in
            guard let name = HostName(word) else {
                throw InvalidArgument("expected a host's name or address without a port, such as app.example, or *")
            }
            return name
        },
        write: { $0.description }
    )
}

extension SettingType where Value == AllowedOrigin {
    static let origin = SettingType(
        placeholder: "ORIGIN",
        read: { word throws(InvalidArgument) in
            guard let origin = AllowedOrigin(word) else {
                throw InvalidArgument(
                    "expected an origin without a path, such as https://app.example or http://localhost:3000, or *"
                )
            }
            return origin
        },
        write: { $0.description }
    )
}

extension SettingType where Value == HookHost {
    static let hookHost = SettingType(
        placeholder: "HOST",
        read: { word throws(InvalidArgument) in
            guard let host = HookHost(word) else {
                throw InvalidArgument("expected a host with an optional port, such as receiver.example or [::1]:9000")
            }
            return host
        },
        write: { $0.description }
    )
}

extension SettingType where Value == String {
    /// A host with an optional port.
    static let keyHost = SettingType(
        placeholder: "HOST",
        read: { word throws(InvalidArgument) in
            guard HookHost(word) != nil else {
                throw InvalidArgument("expected a host with an optional port, such as id.example or localhost:9000")
            }
            return word
        },
        write: { $0 }
    )
}

extension SettingType where Value == StoreChoice {
    static let store = SettingType(
        placeholder: "STORE",
        read: { word throws(InvalidArgument) in try StoreChoice(word) },
        write: { $0.text }
    )
}

extension SettingType where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of a fixed set of words.
    static func choice(_ placeholder: String) -> SettingType {
        let choices = Value.allCases.map(\.rawValue)
        return SettingType(
            placeholder: placeholder,
            choices: choices,
            read: { word throws(InvalidArgument) in
                guard let value = Value(rawValue: word) else {
                    throw InvalidArgument("expected \(Wording.alternatives(Value.allCases.map(\.rawValue)))")
                }
                return value
            },
            write: { $0.rawValue }
        )
    }
}

extension Duration {
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
    }
}

extension Wording {
    /// `a`, `a or b`, `a, b or c`.
    static func alternatives(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }
}

extension String {
    /// The leading digits, and the text after them without spaces between.
    fileprivate var amount: (digits: String, unit: String) {
        let digits = prefix { $0.isASCII && $0.isNumber }
        return (String(digits), String(dropFirst(digits.count).drop { $0 == " " }))
    }
}
