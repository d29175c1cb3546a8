// SPDX-License-Identifier: Apache-2.0

// The store or the server named on a command line.

import Arguments
import AtomicStores
import FoundationEssentials
import HTTPMessage
import ObjectGraph
import ObjectModel
import SQLiteStore

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
        case .store(let location):
            if isReadOnly {
                let opened = try StoreFiles.open(location, model: path)
                return try LocalEndpoint(
                    opened.store,
                    opened.model,
                    configuration: opened.configuration,
                    name: location.path
                )
            }
            return try Self.writable(location, model: path)
        }
    }

    static func writable(_ location: StoreLocation, model path: String?) throws -> LocalEndpoint {
        let given = try path.map { try StoreFiles.model($0) }
        let kind =
            try location.isUncreated
            ? location.scheme ?? StoreKind(extensionOf: location.path) : try location.existingKind()
        guard let format = (kind ?? .sqlite).format else {
            let store = try StoreFiles.sqlite(location.path, model: given)
            return try LocalEndpoint(
                store,
                store.model,
                configuration: store.configuration,
                name: location.path
            )
        }
        guard let given else {
            throw Failure(
                "A store in \((kind ?? .xml).name) form carries no model.",
                hint: "Give its model: --model FILE",
                code: "store.noModel",
                file: location.path
            )
        }
        let store = try AtomicStore(path: location.path, format: format, model: given)
        return try LocalEndpoint(store, given, name: location.path)
    }
}
