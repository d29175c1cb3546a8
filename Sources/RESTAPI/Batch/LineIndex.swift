// SPDX-License-Identifier: Apache-2.0

// Maps rows to lines of a long text in little memory.

/// The lines where rows begin, counted from 1. Rows at equal distances share one entry.
struct LineIndex {
    private struct Run {
        let row: Int
        let line: Int
        var step = 0
        var count = 1

        var next: Int { line + step * count }
    }

    private var runs: [Run] = []

    /// If rows are too irregular, the first ones are dropped.
    private static let limit = 100_000

    mutating func add(_ line: Int, row: Int) {
        if var run = runs.popLast() {
            if run.count == 1 { run.step = line - run.line }
            if run.next == line {
                run.count += 1
                runs.append(run)
                return
            }
            runs.append(run)
        }
        if runs.count >= Self.limit { runs.removeFirst(Self.limit / 2) }
        runs.append(Run(row: row, line: line))
    }

    /// The line where a row begins, or nil if it was dropped.
    subscript(row: Int) -> Int? {
        var low = 0
        var high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].row <= row { low = middle + 1 } else { high = middle }
        }
        guard low > 0, case let run = runs[low - 1], row < run.row + run.count else { return nil }
        return run.line + run.step * (row - run.row)
    }
}
