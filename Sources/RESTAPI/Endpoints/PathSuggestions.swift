// SPDX-License-Identifier: Apache-2.0

// The problem with a path that names no entity, and what is suggested instead.

import HTTPMessage
import SourceText

/// What may be suggested to the sender of a request, whatever the path is: nothing tells which entities exist.
struct PathSuggestions: Sendable {
    /// The names of routes beside those of entities.
    var routes = Catalogue.reserved
    /// Why an entity may be hidden; nil if none is.
    var restriction: String?
    /// The routes below `/api/auth`.
    var accountRoutes: [String] = []

    /// The routes of accounts, by the names that other servers have for them.
    private static let familiar = [
        "signup": "sign-up", "register": "sign-up", "registration": "sign-up", "signin": "sign-in", "login": "sign-in",
        "session": "sign-in", "token": "sign-in", "signout": "sign-out", "logout": "sign-out",
    ]

    fileprivate static let withRules = names(of: APIEndpoint.access)
    fileprivate static let withAccounts = names(of: APIEndpoint.accounts) + withRules

    private static func names(of endpoints: [APIEndpoint]) -> [String] {
        endpoints.map { $0.pattern.segments.dropFirst(2).joined(separator: "/") }
    }

    /// The route of accounts that a name probably means.
    func accountRoute(for name: String) -> String? {
        let word = name.lowercased().filter { $0 != "-" && $0 != "_" }
        return Self.familiar[word].flatMap { accountRoutes.contains($0) ? "/api/auth/\($0)" : nil }
    }

    /// The problem with a path below that of accounts.
    func noAccountRoute(_ name: String) -> Problem {
        guard !accountRoutes.isEmpty else { return .noAccounts }
        let nearest = Spelling.nearest(to: name, among: accountRoutes).map { "/api/auth/\($0)" }
        let route = accountRoute(for: name) ?? nearest
        return Problem(
            .notFound,
            "There is no route “\(name)” below /api/auth.",
            hint: route.map { "Did you mean “\($0)”?" } ?? "The routes are \(accountRoutes.joined(separator: ", "))."
        )
    }
}

extension Catalogue {
    /// The problem with the name of an entity in a path.
    func noEntity(_ name: String, _ suggestions: PathSuggestions) -> Problem {
        let routes = suggestions.routes.sorted() + (isOfContext ? Self.contextActions : [])
        let nearest =
            Spelling.nearest(to: name, among: (names + routes).filter { $0 != name }).map {
                resource(named: $0)?.path ?? $0
            }
        let suggested = suggestions.accountRoute(for: name) ?? nearest
        let familiar = hint(forEntity: name)
        let hints = [
            familiar ?? suggested.map { "Did you mean “\($0)”?" }, suggestions.restriction,
            familiar == nil && suggested == nil ? "GET /api lists the entities." : nil,
        ]
        return Problem(
            .notFound,
            "There is no entity “\(name)”.",
            hint: hints.compactMap(\.self).joined(separator: " ")
        )
    }

    /// The names of the routes that requests of restricted identities reach.
    fileprivate static let openRoutes = Set(
        EndpointPath.all.compactMap { path in
            let segments = path.pattern.segments
            let isOpen = path.endpoints.contains {
                $0.contract.admission != .administration && $0.contract.presence == .always
            }
            return isOpen && segments.count > 1 && reserved.contains(segments[1]) ? segments[1] : nil
        }
    )
}

extension API {
    /// What may be suggested to the sender of a request.
    var pathSuggestions: PathSuggestions {
        var suggestions = PathSuggestions()
        suggestions.accountRoutes =
            accounts != nil ? PathSuggestions.withAccounts : rules != nil ? PathSuggestions.withRules : []
        guard let access else { return suggestions }
        suggestions.routes = Catalogue.openRoutes
        let identity = access.identity
        suggestions.restriction =
            if identity.isAnonymous {
                "Or no access rule lets the request see it: no credential was sent."
            } else if access.roles.isEmpty, identity.grants.isEmpty {
                "Or no access rule lets the request see it: its sender has no role that the access file knows."
            } else {
                "Or no access rule lets the request see it."
            }
        return suggestions
    }
}
