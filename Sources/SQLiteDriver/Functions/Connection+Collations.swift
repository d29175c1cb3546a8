// SPDX-License-Identifier: Apache-2.0

// Collations written in Swift.

import CSQLite

extension Connection {
    /// Compares two texts in UTF-8: negative if the first sorts before the second, zero if they are equal.
    public typealias Collation = (Span<UInt8>, Span<UInt8>) -> Int

    /// Defines a collation for this connection.
    public func defineCollation(_ name: String, _ compare: @escaping Collation) throws(SQLiteError) {
        guard !name.utf8.contains(0) else { throw .nulInName("the name of a collation") }
        let box = unsafe Unmanaged.passRetained(Box(compare))
        let result = unsafe sqlite3_create_collation_v2(
            handle,
            name,
            SQLITE_UTF8,
            box.toOpaque(),
            { context, count, text, otherCount, other in
                let box = unsafe Unmanaged<Box<Collation>>.fromOpaque(context!).takeUnretainedValue()
                let first = unsafe UnsafeRawBufferPointer(start: text, count: Int(count))
                let second = unsafe UnsafeRawBufferPointer(start: other, count: Int(otherCount))
                let order = unsafe box.value(
                    first.bindMemory(to: UInt8.self).span,
                    second.bindMemory(to: UInt8.self).span
                )
                return CInt(order.signum())
            },
            { unsafe Unmanaged<Box<Collation>>.fromOpaque($0!).release() }
        )
        guard result == SQLITE_OK else {
            // Unlike for a function, SQLite doesn't release the context in this case.
            unsafe box.release()
            throw unsafe .latest(of: handle, result: result)
        }
    }
}
