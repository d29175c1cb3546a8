// SPDX-License-Identifier: Apache-2.0

// Bodies that don't say what they are.

import HTTPMessage

extension API {
    /// Refuses bodies without a type, which a page of any site can have a browser send without asking first.
    func checkContentType(of request: HTTPRequest, at endpoint: APIEndpoint) throws(Problem) {
        guard request.hasBody, ![.get, .head, .options].contains(request.method),
            request.fields[.contentType]?.isEmpty ?? true
        else { return }
        throw Problem(.mediaType, "The body has no Content-Type.", hint: endpoint.contract.body.typeHint)
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
