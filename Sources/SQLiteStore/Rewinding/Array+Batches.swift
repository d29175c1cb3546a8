// SPDX-License-Identifier: Apache-2.0

extension [Int64] {
    /// The elements in order, in parts of at most `size` elements.
    func batches(of size: Int) -> [ArraySlice<Int64>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}
