// SPDX-License-Identifier: Apache-2.0

// A first-in, first-out queue.

/// A queue with removal of the first element in amortized constant time.
struct WaitQueue<Element> {
    private var elements: [Element] = []
    private var start = 0

    var count: Int { elements.count - start }

    var isEmpty: Bool { count == 0 }

    var first: Element? { isEmpty ? nil : elements[start] }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard let first else { return nil }
        start += 1
        if start * 2 > elements.count {
            elements.removeFirst(start)
            start = 0
        }
        return first
    }

    /// Removes the first matching element, and returns whether there was one.
    mutating func remove(where isMeant: (Element) -> Bool) -> Bool {
        guard let index = elements[start...].firstIndex(where: isMeant) else { return false }
        elements.remove(at: index)
        return true
    }
}
