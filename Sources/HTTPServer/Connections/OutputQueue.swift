// SPDX-License-Identifier: Apache-2.0

// The bytes that a connection has to send.

/// Bytes in their order. Short pieces are put together, so that they go in one call; long ones are sent from where they are.
struct OutputQueue {
    private static let long = 16 << 10

    /// Bytes that wait.
    private(set) var count = 0
    /// Bytes that have ever been added, and that have been sent.
    private(set) var added = 0
    var sent: Int { added - count }

    private var front: [UInt8] = []
    private var offset = 0
    private var middle = Queue<[UInt8]>()
    private var tail: [UInt8] = []

    var isEmpty: Bool { count == 0 }

    /// Adds what a closure writes at the end of an array.
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

    /// Sends as much as is taken; false where the connection is gone.
    mutating func send(_ socket: Socket) -> Bool {
        while count > 0 {
            if offset == front.count { advance() }
            let rest = front.count - offset
            guard let taken = socket.write(front, from: offset, isMoreComing: rest < count) else { return false }
            offset += taken
            count -= taken
            if taken < rest { return true }
        }
        return true
    }

    /// Lends its storage, so that connections with nothing to send have none.
    mutating func exchangeStorage(with spare: inout [UInt8]) {
        guard count == 0 else { return }
        if offset == front.count, tail.isEmpty, front.capacity <= tail.capacity { swap(&front, &tail) }
        swap(&front, &spare)
        spare.removeAll(keepingCapacity: spare.capacity <= 4 * Self.long)
        (front, offset, tail) = ([], 0, [])
    }

    /// Borrows storage.
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
