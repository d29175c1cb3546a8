// SPDX-License-Identifier: Apache-2.0

// Small turns of phrase that several commands share.

enum Wording {
    /// `1 entity`, `2 entities`.
    static func count(_ count: Int, _ noun: String) -> String {
        guard count != 1 else { return "1 \(noun)" }
        return "\(count) " + (noun.hasSuffix("y") ? noun.dropLast() + "ies" : noun + "s")
    }
}
