// SPDX-License-Identifier: Apache-2.0

// Texts that suit the attribute's name, within its allowed lengths and pattern.

import ObjectModel
import Predicates
import Synchronization

extension AttributeFiller {
    static func texts(_ attribute: Attribute, _ hint: NameHint, isUnique: Bool) -> Values? {
        let rule = TextRule(attribute)
        guard rule.least <= rule.most else { return nil }
        if let choices = choices(of: attribute, rule), !isUnique {
            return Values { subject, _ in .string(Words.one(of: choices, subject.seed)) }
        }
        let shape = TextShape(hint)
        if isUnique {
            let capacity = rule.capacity { shape.unique(subjectSeed($0), $0, rule.most) }
            if capacity > 1 {
                return Values(capacity: capacity) { subject, _ in
                    rule.first(ofSeeds: subject.seed) { rule.padded(shape.unique($0, subject.ordinal, rule.most)) }
                }
            }
        } else if rule.allows(sampling: { rule.fitted(shape.text(subjectSeed($0))) }) {
            return Values { subject, _ in rule.first(ofSeeds: subject.seed) { rule.fitted(shape.text($0)) } }
        }
        if let pattern = attribute.regularExpression.flatMap(TextPattern.init) {
            let lengths = lengths.filter { length in
                let capacity = min(pattern.capacity(length), Self.enough)
                return capacity > 0 && rule.allows { pattern.text($0 % capacity, length) }
            }
            let widest = lengths.max { pattern.capacity($0) < pattern.capacity($1) }
            if let length = isUnique ? widest : lengths.first {
                let capacity = min(pattern.capacity(length), Self.enough)
                return Values(capacity: capacity) { subject, random in
                    let number = isUnique ? subject.ordinal : random.below(capacity)
                    let text = pattern.text(number, length)
                    if rule.allows(text) { return .string(text) }
                    // Zero was tried in advance.
                    return isUnique ? .null : .string(pattern.text(0, length))
                }
            }
        }
        guard case .string(let text) = attribute.defaultValue, rule.allows(text) else { return nil }
        return Values(capacity: 1) { _, _ in .string(text) }
    }

    /// The numbers of repetitions to try for unbounded patterns, best first.
    private static let lengths = [6, 5, 4, 8, 3, 2, 1, 0, 7, 9, 10, 12, 16, 20, 24, 32, 36, 40]
    /// More distinct texts than there will be objects.
    private static let enough = 1 << 40

    /// Seeds for testing a shape.
    fileprivate static func subjectSeed(_ ordinal: Int) -> UInt64 { UInt64(ordinal) &* 0xD1B5_4A32_D192_ED03 }

    /// The values listed in the user info, separated by commas.
    private static func choices(of attribute: Attribute, _ rule: TextRule) -> [String]? {
        for key in ["enum", "values", "cases", "choices", "options"] {
            guard let list = attribute.userInfo[key] else { continue }
            let choices = list.split(separator: ",").map { String($0.drop { $0 == " " }) }.filter(rule.allows)
            if !choices.isEmpty { return choices }
        }
        return nil
    }
}

/// The constraints on a text. All texts are ASCII, so all measures of length agree.
private struct TextRule: Sendable {
    let least: Int
    let most: Int
    private let pattern: CompiledPattern?

    init(_ attribute: Attribute) {
        least = max(0, attribute.minimumLength ?? 0)
        most = attribute.maximumLength ?? .max
        pattern = attribute.regularExpression.map(CompiledPattern.init)
    }

    func allows(_ text: String) -> Bool {
        guard (least...most).contains(text.utf16.count) else { return false }
        return pattern?.matches(text) ?? true
    }

    /// Whether all of a sample of texts are allowed.
    func allows(sampling text: (Int) -> String) -> Bool {
        let numbers = pattern == nil ? [0, 1, 2, 3] : [0, 1, 2, 3, 7, 31, 64, 127, 1_000, 65_535, 999_983]
        return numbers.allSatisfy { allows(text($0)) }
    }

    /// The text of a seed if it is allowed, otherwise that of the first allowed test seed, or null.
    func first(ofSeeds seed: UInt64, _ text: (UInt64) -> String) -> Value {
        let own = text(seed)
        if allows(own) { return .string(own) }
        for ordinal in 0..<64 {
            let other = text(AttributeFiller.subjectSeed(ordinal))
            if allows(other) { return .string(other) }
        }
        return .null
    }

    /// The number of unique texts that are allowed.
    func capacity(_ text: (Int) -> String) -> Int {
        let steps = (0..<16).flatMap { digits in
            let power = (0..<digits).reduce(1) { power, _ in power * 10 }
            return [power - 1, power, 3 * power]
        }
        var capacity = 0
        for step in [0, 1, 2, 40, 70] + steps.sorted() where step >= capacity {
            guard allows(padded(text(step))) else { return capacity }
            capacity = step + 1
        }
        return capacity
    }

    /// The text padded to the minimum length.
    func padded(_ text: String) -> String {
        let lack = least - text.utf8.count
        return lack > 0 ? String(repeating: "x", count: lack) + text : text
    }

    /// The text cut or extended to the allowed length.
    func fitted(_ text: String) -> String {
        guard text.utf8.count > most else {
            var text = text
            while text.utf8.count < least { text += " " + Words.noun(UInt64(text.utf8.count)) }
            return text.utf8.count > most ? String(text.prefix(most)) : text
        }
        let cut = text.prefix(most)
        // A trailing space would look odd.
        return cut.hasSuffix(" ") ? cut.dropLast() + (most > 0 ? "s" : "") : String(cut)
    }
}

/// A pattern of the model's validation. An invalid pattern matches nothing.
private final class CompiledPattern: Sendable {
    private let expression: Mutex<RegularExpression?>

    init(_ pattern: String) { expression = Mutex(try? RegularExpression(pattern)) }

    func matches(_ text: String) -> Bool { expression.withLock { (try? $0?.matches(text)) ?? false } }
}
