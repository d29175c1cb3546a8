// SPDX-License-Identifier: Apache-2.0

// Refuses requests by origin and host: pages of other sites can change nothing, and nothing is served under a foreign
// host name.
//
// 1. A browser sends requests for pages of any site, even to servers that only its machine reaches. Those sent without
//    a preflight have Origin or Sec-Fetch-Site, which pages can't forge; requests that may change something are checked
//    by them.
// 2. A browser shows answers to other sites' pages only if `CORSFields` allows it.
// 3. An attacker can point a domain at this machine (DNS rebinding), so Host must be a name of this server.

import HTTPMessage

struct CrossSiteRules: Sendable {
    enum Verdict {
        /// The request goes on to its route.
        case passes
        /// A browser asks whether it may send what a page of an allowed origin wants.
        case preflight
        case refused(Problem)
    }

    private let hosts: Set<String>
    private let acceptsAnyHost: Bool
    private let origins: Set<Origin>
    private let acceptsAnyOrigin: Bool

    init(_ options: APIOptions) {
        hosts = Set(options.hostNames.map(\.description))
        acceptsAnyHost = options.hostNames.contains(.any)
        acceptsAnyOrigin = options.allowedOrigins.contains(.any)
        origins = Set(options.allowedOrigins.compactMap { if case .only(let origin) = $0 { origin } else { nil } })
    }

    /// Called for every request; for reads it checks only the host.
    func verdict(on request: HTTPRequest) -> Verdict {
        if let host = foreignHost(of: request) { return .refused(.misdirected(host)) }
        switch request.method {
        case .get, .head: return .passes
        case .options:
            guard request.fields.contains(.origin), request.fields.contains(.requestedMethod) else { return .passes }
            switch sender(of: request) {
            case .own: return .passes
            case .allowed: return .preflight
            case .foreign(let origin): return .refused(.foreignPreflight(origin))
            }
        default:
            guard case .foreign(let origin) = sender(of: request) else { return .passes }
            return .refused(.foreignWrite(origin))
        }
    }

    // MARK: Host

    /// The requested host if it isn't this server's, else nil. A request without a host passes: browsers always send
    /// one.
    private func foreignHost(of request: HTTPRequest) -> String? {
        guard !acceptsAnyHost, request.isLocal || !hosts.isEmpty else { return nil }
        if let host = request.fields[.host], !isOwn(host, isLocal: request.isLocal) { return host }
        if let host = request.targetHost, !isOwn(host, isLocal: request.isLocal) { return host }
        return nil
    }

    private func isOwn(_ host: String, isLocal: Bool) -> Bool {
        guard let authority = Authority(host) else { return false }
        return isLocal && authority.isLoopback || hosts.contains(authority.host)
    }

    // MARK: Origin

    private enum Sender {
        /// A page of the server itself, or no page.
        case own
        case allowed
        /// A page of another site, with its origin where that is told.
        case foreign(String?)
    }

    private func sender(of request: HTTPRequest) -> Sender {
        if acceptsAnyOrigin { return .allowed }
        var isAllowed = false
        for text in request.fields.values(of: .origin) {
            guard let origin = Origin(text) else { return .foreign(text) }
            if origins.contains(origin) {
                isAllowed = true
            } else {
                guard let host = request.targetHost ?? request.fields[.host], let authority = Authority(host),
                    origin.isServed(by: authority, isSecure: request.security != nil)
                else { return .foreign(text) }
            }
        }
        if isAllowed { return .allowed }
        let relations = request.fields.values(of: .fetchSite)
        return relations.allSatisfy { ["same-origin", "none"].contains($0) } ? .own : .foreign(nil)
    }
}

extension CrossSiteRules {
    /// Adds the fields that tell browsers which pages may see an answer; none if no origin is allowed.
    ///
    /// - Parameter origin: The origin of the page that has sent the request.
    func addFields(to fields: inout HeaderFields, for origin: @autoclosure () -> String?) {
        if acceptsAnyOrigin {
            CORSFields.add(to: &fields, allowing: "*")
        } else if !origins.isEmpty {
            // Required even without Origin, so that a cache doesn't reuse the response for a request that has one.
            fields.add(.vary, "Origin")
            guard let text = origin(), let origin = Origin(text), origins.contains(origin) else { return }
            CORSFields.add(to: &fields, allowing: text)
        }
    }
}

extension HTTPRequest {
    /// The host in an absolute target. It takes precedence over Host.
    fileprivate var targetHost: String? {
        target.utf8.first == UInt8(ascii: "/") ? nil : (try? RequestTarget(target))?.authority
    }
}
