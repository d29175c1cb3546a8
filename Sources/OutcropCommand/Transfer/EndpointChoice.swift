// SPDX-License-Identifier: Apache-2.0

// The store or the server named on a command line.

import Arguments
import ObjectGraph

/// `App.sqlite`, `xml:App.xml`, or `http://localhost:8080`.
enum EndpointChoice: ArgumentValue {
    case store(StoreLocation)
    case server(ServerURL)

    init(argument: String) throws(InvalidArgument) {
        if argument.hasPrefix("http:") || argument.hasPrefix("https:") {
            self = .server(try ServerURL(argument: argument))
        } else {
            self = .store(try StoreLocation(argument: argument))
        }
    }

    var argument: String {
        switch self {
        case .store(let location): location.argument
        case .server(let url): url.argument
        }
    }

    /// Opens the store, or connects to the server.
    ///
    /// - Parameters:
    ///   - path: The model of a store that carries none.
    ///   - isReadOnly: Whether nothing is written. Otherwise a missing store is created.
    func open(model path: String?, isReadOnly: Bool) throws -> any Endpoint {
        switch self {
        case .server(let url):
            guard path == nil else {
                throw Failure("A server has its own model; --model is for stores.", status: .usage)
            }
            return try RemoteEndpoint(url)
        case .store(let location): return try Self.store(location, model: path, isReadOnly: isReadOnly)
        }
    }

    static func store(_ location: StoreLocation, model path: String?, isReadOnly: Bool) throws -> LocalEndpoint {
        let opened = try StoreFiles.open(location, model: path, isReadOnly: isReadOnly)
        return try LocalEndpoint(
            opened.store,
            opened.model,
            configuration: opened.configuration,
            name: location.path
        )
    }
}
