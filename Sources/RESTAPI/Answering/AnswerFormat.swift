// SPDX-License-Identifier: Apache-2.0

// What lists of objects come as: a page in JSON, or a stream of any length.

import HTTPMessage
import ObjectGraph

enum AnswerFormat: CaseIterable, Equatable, Sendable {
    case json
    /// A line of JSON for each object.
    case lines
    case csv

    /// The form that a client wants most.
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

    /// What the answer says that it is.
    var contentType: String { self == .csv ? "\(mediaType); charset=utf-8" : mediaType.description }
}

extension MediaType {
    static let csv = MediaType("text", "csv")
}
