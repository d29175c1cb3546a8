// SPDX-License-Identifier: Apache-2.0

// Requests about the server itself.

import HTTPMessage
import ObjectModel

enum ServerPlan: Equatable {
    case health
    case readiness
    case metrics
    case index
    case model
    case statistics

    init(_ kind: ServerPlan, _ request: APIRequest) throws(Problem) {
        try request.parameters.refuseOthers(knowing: [])
        self = kind
    }
}

extension API {
    func execute(_ plan: ServerPlan) throws(Problem) -> Reply {
        switch plan {
        case .health: return Reply(.json(Self.health))
        case .readiness: return Reply(.json(try readiness()))
        case .metrics: return Reply(.bytes(Array(metrics.utf8), type: PrometheusText.type))
        case .index: return Reply(.json(index))
        case .model:
            guard let bytes = modelJSON else { throw Problem(.internal, "The model can't be written as JSON.") }
            return Reply(.bytes(bytes, type: "application/json"))
        case .statistics: return Reply(.json(statisticsJSON))
        }
    }
}
