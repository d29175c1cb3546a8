// SPDX-License-Identifier: Apache-2.0

// First in, first out.

/// Elements that are taken in the order in which they came.
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
        // Each element is moved once at most for each that was taken.
        if head == elements.count {
            elements.removeAll(keepingCapacity: head <= 1_024)
            head = 0
        } else if head >= 64, head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    mutating func removeAll() { self = Queue() }
}
