// SPDX-License-Identifier: Apache-2.0

// Bodies that don't say what they are.

import HTTPMessage
import ObjectGraph
import ObjectModel

extension API {
    /// Refuses bodies without a type, which a page of any site can have a browser send without asking first.
    func checkContentType(of request: HTTPRequest, at route: Route) throws(Problem) {
        guard request.hasBody, ![.get, .head, .options].contains(request.method),
            request.fields[.contentType]?.isEmpty ?? true
        else { return }
        let hint =
            switch route {
            case .property(_, _, let property) where property.attribute?.type == .binary:
                "Name the type of the bytes; with curl, -H 'Content-Type: application/octet-stream' --data-binary @FILE."
            case .batch(_, .insert):
                "It is application/json, or application/x-ndjson for lines; curl --json '[…]' names the first."
            default: "Send Content-Type: application/json, as curl --json '{…}' does."
            }
        throw Problem(.mediaType, "The body has no Content-Type.", hint: hint)
    }
}

extension HTTPRequest {
    fileprivate var hasBody: Bool {
        switch body {
        case .none: false
        case .bytes(let bytes): !bytes.isEmpty
        case .stream: true
        }
    }
}
