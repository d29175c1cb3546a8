// SPDX-License-Identifier: Apache-2.0

// The dead letters of a hook as a collection.

/// Dead letters in the order of their numbers, found by their deliveries.
struct HookLetters: Sendable {
    private var letters: [Int: HookLetter] = [:]
    private var numbers: [String: Int] = [:]
    private var lastNumber = 0

    var count: Int { letters.count }

    var all: [HookLetter] { letters.values.sorted { $0.number < $1.number } }

    subscript(delivery: String) -> HookLetter? { numbers[delivery].flatMap { letters[$0] } }

    /// The number for a letter of a delivery.
    func number(forDelivery delivery: String) -> Int { numbers[delivery] ?? lastNumber + 1 }

    /// Adds a letter, or replaces that of the same delivery.
    mutating func insert(_ letter: HookLetter) {
        remove(letter.id)
        letters[letter.number] = letter
        numbers[letter.id] = letter.number
        lastNumber = max(lastNumber, letter.number)
    }

    mutating func remove(_ delivery: String) {
        guard let number = numbers.removeValue(forKey: delivery) else { return }
        letters[number] = nil
    }
}
