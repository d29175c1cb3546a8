// SPDX-License-Identifier: Apache-2.0

// The formats of lists of objects: a page in JSON, or a stream of any length.

import HTTPMessage
import ObjectGraph

enum AnswerFormat: CaseIterable, Equatable, Sendable {
    case json
    /// One line of JSON for each object.
    case lines
    case csv

    /// The format that a client prefers.
    init(_ fields: HeaderFields) {
        let wanted = AcceptedMediaTypes(fields).bestMatch(among: Self.allCases.map(\.mediaType))
        self = Self.allCases.first { $0.mediaType == wanted } ?? .json
    }

    var mediaType: MediaType {
        switch self {
        case .json: .json
        case .lines: .ndjson
        case .csv: .csv
        }
    }

    /// The value of the Content-Type field.
    var contentType: String { self == .csv ? "\(mediaType); charset=utf-8" : mediaType.description }
}

extension MediaType {
    static let csv = MediaType("text", "csv")
}
