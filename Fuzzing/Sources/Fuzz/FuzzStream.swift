// SPDX-License-Identifier: Apache-2.0

// JSON that comes in pieces: however the bytes are cut, the same values must be read from them, and they must be those that
// are read from the text as a whole.

import JSON

func fuzzStream(_ bytes: [UInt8]) -> CInt {
    for layout in [JSONStreamReader.Layout.array, .lines] {
        let whole = reading(of: [bytes], layout)
        precondition(reading(of: bytes.map { [$0] }, layout) == whole, "Single bytes were read as something else.")
        var pieces: [[UInt8]] = []
        var start = 0
        while start < bytes.count {
            // Where it is cut follows from the bytes, so that what was found is found again.
            let end = min(bytes.count, start + 1 + Int(bytes[start] % 31))
            pieces.append(Array(bytes[start..<end]))
            start = end
        }
        precondition(reading(of: pieces, layout) == whole, "Pieces were read as something else.")
        let values = layout == .array ? elements(of: bytes) : lines(of: bytes)
        precondition((whole.error == nil ? whole.values : nil) == values, "The stream was read as something else.")
        for value in whole.values {
            precondition(
                (try? JSONValue(parsing: value.serialized(), limits: limits)) == value,
                "\(value) came back as another."
            )
        }
    }
    return 0
}

private let limits = JSONLimits(depth: 16, bytes: 1 << 20, numberLength: 64)

private struct Reading: Equatable {
    var values: [JSONValue] = []
    var places: [String] = []
    var error: JSONError?
}

private func reading(of pieces: [[UInt8]], _ layout: JSONStreamReader.Layout) -> Reading {
    var rest = pieces[...]
    var reading = Reading()
    var reader = JSONStreamReader(layout, limits: limits) { rest.popFirst() }
    do {
        while let value = try reader.next() {
            precondition(value.position == reader.start)
            reading.values.append(value)
            reading.places.append(reader.start.description)
        }
    } catch let error as JSONError {
        precondition(!error.message.isEmpty)
        reading.error = error
    } catch {
        fatalError("\(error)")
    }
    return reading
}

/// The elements of the array that a text is as a whole; nil for any other text.
private func elements(of bytes: [UInt8]) -> [JSONValue]? {
    // The array itself is one level more.
    var limits = limits
    limits.depth += 1
    return (try? JSONValue(parsing: bytes, limits: limits))?.array
}

/// The values of a text's lines; nil where one of them is none.
private func lines(of bytes: [UInt8]) -> [JSONValue]? {
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    var values: [JSONValue] = []
    for line in text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D })
    where !line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
        // Behind a space no byte order mark is passed over.
        guard let value = try? JSONValue(parsing: [0x20] + line, limits: limits) else { return nil }
        values.append(value)
    }
    return values
}
