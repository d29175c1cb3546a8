// SPDX-License-Identifier: Apache-2.0

// Requests that are refused for where they come from.

import HTTPMessage

extension Problem {
    /// A host that isn't this server.
    static func misdirected(_ host: String) -> Problem {
        let name = Authority(host)?.host ?? host
        return Problem(
            .misdirected,
            "“\(host.shortened)” isn't one of this server's host names.",
            hint: "Use one of its names, or add this one to the setting hostNames: "
                + "--host-names \(name.shortened)"
        )
    }

    /// A change that a page of another site wants; which one, browsers don't always tell.
    static func foreignWrite(_ origin: String?) -> Problem {
        Problem(.crossSite, "\(page(of: origin)) may not change anything here.", hint: hint(origin))
    }

    /// A browser that asks for a page of another site.
    static func foreignPreflight(_ origin: String?) -> Problem {
        Problem(.crossSite, "\(page(of: origin)) may not use this server.", hint: hint(origin))
    }

    private static func page(of origin: String?) -> String {
        origin.map { "A page of “\($0.shortened)”" } ?? "A page of another site"
    }

    private static func hint(_ text: String?) -> String {
        guard let text else { return "The setting cors lists the allowed origins: --cors ORIGIN" }
        guard let origin = Origin(text) else {
            return
                "The setting cors lists the allowed origins: --cors ORIGIN. This one can't be listed, since any site can send it."
        }
        return "The setting cors lists the allowed origins: --cors \(origin.description.shortened)"
    }
}
