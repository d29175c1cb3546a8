// SPDX-License-Identifier: Apache-2.0

// Precomputed status lines.

extension HTTPStatus {
    /// `HTTP/1.1 200 OK` with its line end, for all codes below 600.
    private static let lines: [[UInt8]] = (0..<600).map { line(of: HTTPStatus($0)) }

    public func writeLine(into output: inout [UInt8]) {
        output += Self.lines.indices.contains(code) ? Self.lines[code] : Self.line(of: self)
    }

    private static func line(of status: HTTPStatus) -> [UInt8] {
        Array("HTTP/1.1 \(status.code) \(status.reason)\r\n".utf8)
    }
}
