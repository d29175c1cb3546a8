// SPDX-License-Identifier: Apache-2.0

// Readers of single attributes. One that can't be read is reported and treated as absent.

import Predicates
import XML

extension ContentsReader {
    /// A required attribute.
    mutating func required(_ name: String, of element: XMLElement) -> String {
        if let text = element[name], !text.isEmpty { return text }
        report(.modelMissing, at: element, "<\(element.name)> needs the attribute “\(name)”.")
        return ""
    }

    mutating func flag(_ name: String, of element: XMLElement) -> Bool? {
        guard let text = element[name] else { return nil }
        if let flag = Bool(contents: text) { return flag }
        reportUnreadable(name, of: element, hint: "Write YES or NO.")
        return nil
    }

    /// A non-negative whole number.
    mutating func count(_ name: String, of element: XMLElement) -> Int? {
        guard let text = element[name] else { return nil }
        if let count = Int(text), count >= 0 { return count }
        reportUnreadable(name, of: element, hint: "Write an integer, such as 10.")
        return nil
    }

    mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String,
        of element: XMLElement
    ) -> Choice? {
        guard let text = element[name] else { return nil }
        if let choice = Choice.allCases.first(where: { "\($0.rawValue)" == text }) { return choice }
        let choices = Choice.allCases.map { "\($0.rawValue)" }.joined(separator: ", ")
        reportUnreadable(name, of: element, hint: "Write one of \(choices).")
        return nil
    }

    mutating func type(_ name: String, of element: XMLElement) -> AttributeType? {
        guard let text = element[name] else { return nil }
        if let type = AttributeType(contents: text) { return type }
        let names = AttributeType.named.map(\.type.contentsName).joined(separator: ", ")
        reportUnreadable(name, of: element, hint: "Write one of \(names), Composite.")
        return nil
    }

    /// A value of an attribute's type. Empty text is a value only for a string.
    mutating func value(_ name: String, as type: AttributeType, of element: XMLElement) -> Value? {
        guard let text = element[name], !text.isEmpty || type == .string else { return nil }
        if let value = type.value(contents: text) { return value }
        if let flag = Bool(contents: text), let value = type.value(contents: flag ? "1" : "0") {
            report(
                .modelValue,
                isMild: true,
                at: element,
                "“\(text)” as \(name) of type \(type.name) is read as a number.",
                hint: "Write \(flag ? 1 : 0)."
            )
            return value
        }
        guard type.hasContentsValue else {
            report(
                .modelUnused,
                at: element,
                "\(name) has no meaning for an attribute of type \(type.name), and is only preserved."
            )
            return nil
        }
        // Xcode accepts an invalid default, and apps are built with it. An invalid bound must not be dropped: it would
        // let wrong values through.
        let isLeftOut = name.hasPrefix("default")
        reportUnreadable(name, of: element, isLeftOut: isLeftOut, hint: "It must be a value of type \(type.name).")
        return nil
    }

    func userInfo(of element: XMLElement) -> UserInfo {
        UserInfo(
            element.elements(named: "userInfo").flatMap { $0.elements(named: "entry") }.map {
                UserInfo.Entry(key: $0["key"] ?? "", value: $0["value"] ?? "")
            }
        )
    }

    mutating func reportUnreadable(_ name: String, of element: XMLElement, isLeftOut: Bool = false, hint: String) {
        let consequence = isLeftOut ? ", and is ignored" : ""
        report(
            .modelValue,
            isMild: isLeftOut,
            at: element,
            "“\(element[name] ?? "")” can't be read as \(name) of <\(element.name)>\(consequence).",
            hint: hint
        )
    }
}
