// SPDX-License-Identifier: Apache-2.0

// The message of a server that is ready.

import AccessRules
import HTTPServer
import JSON
import ObjectGraph
import ObjectModel

/// The addresses, the served objects, and an example request.
struct StartupMessage: Sendable {
    let stack: ServedStack
    let addresses: [ListenAddress]
    /// Whether TCP addresses speak TLS.
    var isSecure = false
    /// The addresses that redirect to those with TLS.
    var redirecting: [ListenAddress] = []
    /// The file of access rules and the rules in it, or nil.
    var accessFile: String?
    var policy: AccessPolicy?
    /// The store whose API keys the server accepts, or nil.
    var storeOfKeys: String?
    var pages = ServedPages.console

    private var pagesLine: String { pages.line(at: addresses, isSecure: isSecure) }
    private var locations: [String] { addresses.map { $0.location(isSecure: isSecure) } }

    /// For a terminal.
    var text: StyledText {
        var lines: [StyledText] = [
            StyledText("Outcrop \(Program.version)", .bold)
                + StyledText(" serves \(stack.modelName) from \(Wording.list(stack.storeNames))"),
            "",
        ]
        lines += locations.map { StyledText("  ") + StyledText($0, .cyan) }
        lines += ["", StyledText("  \(pagesLine)"), ""]
        let width = stack.counts.map { $0.entity.name.count }.max() ?? 0
        let digits = stack.counts.map { "\($0.objects)".count }.max() ?? 0
        for (entity, objects) in stack.counts {
            let count = String(repeating: " ", count: digits - "\(objects)".count) + "\(objects)"
            let padding = String(repeating: " ", count: width - entity.name.count + 2)
            let path = StyledText("/api/\(entity.apiPath)", .faint)
            lines.append(StyledText("  \(entity.name)\(padding)\(count)  ") + path)
        }
        if let accessFile {
            lines += ["", StyledText("  Access rules of \(accessFile) are in force.")]
        }
        if !examples.isEmpty { lines += ["", "Try:"] + examples.map { StyledText("  \($0)", .green) } }
        lines += ["", StyledText("Press Ctrl-C to stop it.", .faint)]
        return lines.joined(separator: "\n")
    }

    /// For a log in text.
    var line: String {
        "Listening on \(Wording.list(locations)): \(stack.modelName) from \(Wording.list(stack.storeNames)), "
            + "\(Wording.count(stack.coordinator.model.entities.count, "entity")), \(Wording.count(stack.objects, "object"))."
            + (accessFile.map { " Access rules of \($0) are in force." } ?? "") + " \(pagesLine)"
    }

    /// For a log in JSON.
    var fields: JSONObject {
        let entities = stack.counts.map { ($0.entity.name, JSONValue.integer($0.objects)) }
        var fields: JSONObject = [
            "listen": .array(locations.map(JSONValue.string)), "model": .string(stack.modelName),
            "stores": .array(stack.storeNames.map(JSONValue.string)), "entities": .object(JSONObject(entities)),
            "pages": .string(pages.name),
        ]
        fields["access"] = accessFile.map(JSONValue.string)
        if !redirecting.isEmpty {
            fields["redirect"] = .array(redirecting.map { .string($0.location(isSecure: false)) })
        }
        return fields
    }
}

extension ListenAddress {
    /// The address for people and programs: a URL if it has one.
    func location(isSecure: Bool) -> String {
        let scheme = isSecure ? "https" : "http"
        return switch self {
        case .tcp(let host, let port):
            // A wildcard address can't be connected to.
            host == "*" || host == "0.0.0.0" ? "\(scheme)://localhost:\(port)" : "\(scheme)://\(description)"
        case .unix, .activated: description
        }
    }
}
