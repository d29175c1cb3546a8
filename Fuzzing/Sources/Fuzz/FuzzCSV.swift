// SPDX-License-Identifier: Apache-2.0

// CSV that comes in pieces: however the bytes are cut, the same rows must be read from them, and they come back as they were from what
// is written of them.

import CSV

func fuzzCSV(_ bytes: [UInt8]) -> CInt {
    let whole = reading(of: [bytes], nil)
    precondition(reading(of: bytes.map { [$0] }, nil) == whole, "Single bytes were read as something else.")
    var pieces: [[UInt8]] = []
    var start = 0
    while start < bytes.count {
        // Where it is cut follows from the bytes, so that what was found is found again.
        let end = min(bytes.count, start + 1 + Int(bytes[start] % 31))
        pieces.append(Array(bytes[start..<end]))
        start = end
    }
    precondition(reading(of: pieces, nil) == whole, "Pieces were read as something else.")
    for separator in CSVSeparator.allCases {
        var writer = CSVWriter(separator: separator)
        for row in whole.rows { writer.write(row.map { $0.isMissing && row.count > 1 ? nil : $0.text }) }
        let again = reading(of: [writer.bytes], separator)
        precondition(again.error == nil && again.rows.map { $0.map(\.text) } == whole.rows.map { $0.map(\.text) })
    }
    return 0
}

private struct Reading: Equatable {
    var rows: [[CSVCell]] = []
    var places: [String] = []
    var error: CSVError?
}

private func reading(of pieces: [[UInt8]], _ separator: CSVSeparator?) -> Reading {
    var rest = pieces[...]
    var reading = Reading()
    var reader = CSVReader(separator: separator, limits: CSVLimits(cellBytes: 8192, rowBytes: 12288, cells: 512)) {
        rest.popFirst()
    }
    do {
        while let row = try reader.next() {
            precondition(!row.isEmpty)
            reading.rows.append(row)
            reading.places.append(reader.start.description)
        }
    } catch let error as CSVError {
        precondition(!error.message.isEmpty)
        reading.error = error
    } catch {
        fatalError("\(error)")
    }
    return reading
}
