// SPDX-License-Identifier: Apache-2.0

/// A first-in, first-out queue.
struct Queue<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { head == elements.count }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements[head].take()
        head += 1
        // Compacting moves each element at most once per removed element.
        if head == elements.count {
            elements.removeAll(keepingCapacity: head <= 1_024)
            head = 0
        } else if head >= 64, head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Removes the first element that meets a condition.
    mutating func popFirst(where condition: (Element) -> Bool) -> Element? {
        guard let index = elements[head...].firstIndex(where: { $0.map(condition) ?? false }) else { return nil }
        return index == head ? popFirst() : elements.remove(at: index)
    }

    /// Removes all elements that meet a condition.
    mutating func removeAll(where condition: (Element) -> Bool) -> [Element] {
        var kept: [Element?] = []
        var removed: [Element] = []
        for element in elements[head...].compactMap(\.self) {
            if condition(element) { removed.append(element) } else { kept.append(element) }
        }
        elements = kept
        head = 0
        return removed
    }
}
