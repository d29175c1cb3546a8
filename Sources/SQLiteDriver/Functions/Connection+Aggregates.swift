// SPDX-License-Identifier: Apache-2.0

// Aggregate functions written in Swift.

import CSQLite

extension Connection {
    /// Defines an aggregate function for this connection: a state that is created for each group, updated with each
    /// row, and converted to the result.
    ///
    ///     try connection.defineAggregate("product", arguments: 1, initial: { 1.0 }) { product, row in
    ///         product *= row.double(0)
    ///     } result: { .real($0) }
    public func defineAggregate<State>(
        _ name: String,
        arguments: Int?,
        deterministic: Bool = true,
        initial: @escaping () -> State,
        step: @escaping (inout State, borrowing FunctionArguments) throws -> Void,
        result: @escaping (State) throws -> SQLValue
    ) throws(SQLiteError) {
        guard !name.utf8.contains(0) else { throw .nulInName("the name of a function") }
        let aggregate = Aggregate { [weak self] in
            let state = Box(initial())
            return Aggregate.Run {
                do { try step(&state.value, $0) } catch {
                    self?.thrown = error
                    throw error
                }
            } result: {
                do { return try result(state.value) } catch {
                    self?.thrown = error
                    throw error
                }
            }
        }
        let code = unsafe sqlite3_create_function_v2(
            handle,
            name,
            CInt(clamping: arguments ?? -1),
            Self.flags(deterministic, false),
            Unmanaged.passRetained(aggregate).toOpaque(),
            nil,
            { unsafe Aggregate.step($0, $1, $2) },
            { unsafe Aggregate.finish($0) },
            { unsafe Unmanaged<Aggregate>.fromOpaque($0!).release() }
        )
        guard code == SQLITE_OK else { throw unsafe .latest(of: handle, result: code) }
    }
}

/// An aggregate with its type of state erased.
private final class Aggregate {
    private let begin: () -> Run

    /// The aggregation of one group.
    final class Run {
        let step: (borrowing FunctionArguments) throws -> Void
        let result: () throws -> SQLValue

        init(
            step: @escaping (borrowing FunctionArguments) throws -> Void,
            result: @escaping () throws -> SQLValue
        ) {
            self.step = step
            self.result = result
        }
    }

    init(begin: @escaping () -> Run) {
        self.begin = begin
    }

    // SQLite allocates one pointer for each group, initially null, and always calls `finish`.

    static func step(
        _ context: OpaquePointer?,
        _ count: CInt,
        _ values: UnsafeMutablePointer<OpaquePointer?>?
    ) {
        guard let place = unsafe place(context, create: true) else {
            unsafe sqlite3_result_error_nomem(context)
            return
        }
        let run: Run
        if let kept = unsafe place.pointee {
            run = unsafe Unmanaged<Run>.fromOpaque(kept).takeUnretainedValue()
        } else {
            run = unsafe of(context).begin()
            unsafe place.pointee = Unmanaged.passRetained(run).toOpaque()
        }
        do {
            try run.step(unsafe FunctionArguments(context, count: count, values: values))
        } catch {
            unsafe FunctionResult.fail(context, error)
        }
    }

    static func finish(_ context: OpaquePointer?) {
        let kept = unsafe place(context, create: false)?.pointee
        let run = unsafe kept.map { unsafe Unmanaged<Run>.fromOpaque($0).takeRetainedValue() } ?? of(context).begin()
        unsafe FunctionResult.set(context) { try run.result() }
    }

    private static func of(_ context: OpaquePointer?) -> Aggregate {
        unsafe Unmanaged<Aggregate>.fromOpaque(sqlite3_user_data(context)).takeUnretainedValue()
    }

    private static func place(
        _ context: OpaquePointer?,
        create: Bool
    ) -> UnsafeMutablePointer<UnsafeMutableRawPointer?>? {
        let size = create ? unsafe CInt(MemoryLayout<UnsafeMutableRawPointer?>.size) : 0
        return unsafe sqlite3_aggregate_context(context, size)?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }
}
