// SPDX-License-Identifier: Apache-2.0

// The arguments of a function written in Swift.

import CSQLite

/// The arguments of one call, numbered from 0. They are valid during the call.
// Safe: it can't be copied and is only borrowed, so the pointers don't outlive the call; indices are checked.
@safe
public struct FunctionArguments: ~Copyable {
    public let count: Int
    private let values: UnsafeMutablePointer<OpaquePointer?>?
    private let context: OpaquePointer?

    init(_ context: OpaquePointer?, count: CInt, values: UnsafeMutablePointer<OpaquePointer?>?) {
        self.count = Int(count)
        unsafe self.values = values
        unsafe self.context = context
    }

    public func type(_ index: Int) -> SQLType { unsafe SQLType(code: sqlite3_value_type(self[index])) }

    public func isNull(_ index: Int) -> Bool { type(index) == .null }

    /// An integer; 0 for NULL.
    public func int64(_ index: Int) -> Int64 { unsafe sqlite3_value_int64(self[index]) }

    /// A number; 0 for NULL.
    public func double(_ index: Int) -> Double { unsafe sqlite3_value_double(self[index]) }

    /// Text, with invalid UTF-8 repaired; empty for NULL.
    public func string(_ index: Int) -> String {
        withUTF8(index) { text in unsafe text.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) } }
    }

    /// The bytes of a blob or text; empty for NULL.
    public func bytes(_ index: Int) -> [UInt8] {
        let start = unsafe sqlite3_value_blob(self[index])?.assumingMemoryBound(to: UInt8.self)
        let count = unsafe Int(sqlite3_value_bytes(self[index]))
        return unsafe Array(UnsafeBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    /// Calls a closure with the UTF-8 bytes of a text, without copying them.
    public func withUTF8<R, Failure: Error>(
        _ index: Int,
        _ body: (Span<UInt8>) throws(Failure) -> R
    ) throws(Failure) -> R {
        let start = unsafe sqlite3_value_text(self[index])
        let count = unsafe Int(sqlite3_value_bytes(self[index]))
        let text = unsafe UnsafeBufferPointer(start: start, count: start == nil ? 0 : count)
        return unsafe try body(text.span)
    }

    public func value(_ index: Int) -> SQLValue {
        switch type(index) {
        case .null: .null
        case .integer: .integer(int64(index))
        case .real: .real(double(index))
        case .text: .text(string(index))
        case .blob: .blob(bytes(index))
        }
    }

    /// A value derived from an argument, such as a compiled pattern, cached for the statement while the argument is
    /// constant. An argument must always be given the same result type.
    public func cached<Made>(_ index: Int, _ make: () throws -> Made) rethrows -> Made {
        precondition(index >= 0 && index < count, "There is no argument \(index) among \(count).")
        if let kept = unsafe sqlite3_get_auxdata(context, CInt(index)),
            let box = unsafe Unmanaged<AnyObject>.fromOpaque(kept).takeUnretainedValue() as? Box<Made>
        {
            return box.value
        }
        let box = Box(try make())
        unsafe sqlite3_set_auxdata(context, CInt(index), Unmanaged<AnyObject>.passRetained(box).toOpaque()) {
            unsafe Unmanaged<AnyObject>.fromOpaque($0!).release()
        }
        return box.value
    }

    private subscript(index: Int) -> OpaquePointer? {
        precondition(index >= 0 && index < count, "There is no argument \(index) among \(count).")
        return unsafe values?[index]
    }
}

/// A reference to a value, to be passed through a pointer.
final class Box<Value> {
    var value: Value

    init(_ value: Value) {
        self.value = value
    }
}
