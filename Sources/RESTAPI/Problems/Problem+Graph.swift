// SPDX-License-Identifier: Apache-2.0

// Errors of the engine, as clients see them.

import HTTPMessage
import JSON
import ObjectGraph

extension Problem {
    init(_ error: GraphError, in catalogue: Catalogue) {
        switch error.code {
        case .objectMissing: self.init(.notFound, error.message, hint: error.hint)
        case .unknownName, .invalidRequest: self.init(.parameter, error.message, hint: error.hint)
        case .wrongType, .notWritable, .acrossStores, .unknownStore:
            self.init(.validation, error.message, hint: error.hint)
        case .readOnly: self.init(.validation, error.message, hint: error.hint)
        case .limitExceeded: self.init(.maxAffected, error.message, hint: error.hint)
        case .deadline, .cancelled: self = .deadline
        case .diskFull: self.init(.diskFull, "The disk of the store is full.")
        default: self.init(.internal, "The request could not be done.")
        }
    }

    static var deadline: Problem {
        var problem = Problem(
            .deadline,
            "It took longer than it may.",
            hint: "An index may serve it; see explain=true."
        )
        problem.fields = [.retryAfter: "1"]
        return problem
    }
}
