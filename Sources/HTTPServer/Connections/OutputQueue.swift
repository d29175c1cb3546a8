// SPDX-License-Identifier: Apache-2.0

/// The output of a connection. Short pieces are combined into one system call; long ones are sent without copying.
struct OutputQueue {
    private static let long = 16 << 10

    /// The number of unsent bytes.
    private(set) var count = 0
    /// The total number of bytes added.
    private(set) var added = 0
    var sent: Int { added - count }

    private var front: [UInt8] = []
    private var offset = 0
    private var middle = Queue<[UInt8]>()
    private var tail: [UInt8] = []

    var isEmpty: Bool { count == 0 }

    /// Lets a closure append to the output.
    mutating func append(_ write: (inout [UInt8]) -> Void) {
        let before = tail.count
        write(&tail)
        grow(tail.count - before)
    }

    mutating func append(_ bytes: [UInt8]) {
        if bytes.count < Self.long {
            tail += bytes
        } else {
            if !tail.isEmpty { middle.append(tail) }
            tail = []
            middle.append(bytes)
        }
        grow(bytes.count)
    }

    /// Sends as much as is accepted. Returns false if the connection is broken.
    mutating func send(over transport: Transport) -> Bool {
        while count > 0 {
            if offset == front.count { advance() }
            let rest = front.count - offset
            guard let taken = transport.write(front, from: offset, isMoreComing: rest < count) else { return false }
            offset += taken
            count -= taken
            if taken < rest { return true }
        }
        return true
    }

    /// Exchanges empty storage with the loop's, so that idle connections hold none.
    mutating func exchangeStorage(with spare: inout [UInt8]) {
        guard count == 0 else { return }
        if offset == front.count, tail.isEmpty, front.capacity <= tail.capacity { swap(&front, &tail) }
        swap(&front, &spare)
        spare.removeAll(keepingCapacity: spare.capacity <= 4 * Self.long)
        front = []
        offset = 0
        tail = []
    }

    mutating func borrowStorage(from spare: inout [UInt8]) {
        if tail.isEmpty, tail.capacity == 0 { swap(&tail, &spare) }
    }

    private mutating func advance() {
        offset = 0
        if let next = middle.popFirst() {
            front = next
        } else {
            front.removeAll(keepingCapacity: true)
            swap(&front, &tail)
        }
    }

    private mutating func grow(_ bytes: Int) {
        count += bytes
        added += bytes
    }
}
