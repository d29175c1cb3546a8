// SPDX-License-Identifier: Apache-2.0

// The message of a server that is ready.

import HTTPServer
import JSON
import ObjectGraph
import ObjectModel

/// The addresses, the served objects, and an example request.
struct StartupMessage: Sendable {
    let stack: ServedStack
    let addresses: [ListenAddress]

    /// For a terminal.
    var text: StyledText {
        var lines: [StyledText] = [
            StyledText("Outcrop \(Program.version)", .bold)
                + StyledText(" serves \(stack.modelName) from \(Wording.list(stack.storeNames))"),
            "",
        ]
        lines += addresses.map { StyledText("  ") + StyledText($0.location, .cyan) }
        lines.append("")
        let width = stack.counts.map { $0.entity.name.count }.max() ?? 0
        let digits = stack.counts.map { "\($0.objects)".count }.max() ?? 0
        for (entity, objects) in stack.counts {
            let count = String(repeating: " ", count: digits - "\(objects)".count) + "\(objects)"
            let padding = String(repeating: " ", count: width - entity.name.count + 2)
            let path = StyledText("/api/\(entity.apiPath)", .faint)
            lines.append(StyledText("  \(entity.name)\(padding)\(count)  ") + path)
        }
        if let example { lines += ["", "Try:", StyledText("  \(example)", .green)] }
        lines += ["", StyledText("Press Ctrl-C to stop it.", .faint)]
        return lines.joined(separator: "\n")
    }

    /// For a log in text.
    var line: String {
        "Listening on \(Wording.list(addresses.map(\.location))): \(stack.modelName) from \(Wording.list(stack.storeNames)), "
            + "\(Wording.count(stack.coordinator.model.entities.count, "entity")), \(Wording.count(stack.objects, "object"))."
    }

    /// For a log in JSON.
    var fields: JSONObject {
        let entities = stack.counts.map { ($0.entity.name, JSONValue.integer($0.objects)) }
        return [
            "listen": .array(addresses.map { .string($0.location) }), "model": .string(stack.modelName),
            "stores": .array(stack.storeNames.map(JSONValue.string)), "entities": .object(JSONObject(entities)),
        ]
    }

    /// A command that shows objects.
    private var example: String? {
        guard let address = addresses.first else { return nil }
        let entity = stack.counts.max { $0.objects < $1.objects }?.entity
        let path = entity.map { "/api/\($0.apiPath)?limit=2" } ?? "/api"
        return switch address {
        case .unix(let socket, _): "curl --unix-socket \(socket) 'http://localhost\(path)'"
        default: "curl '\(address.location)\(path)'"
        }
    }
}

extension ListenAddress {
    /// The address for people and programs: a URL if it has one.
    var location: String {
        switch self {
        case .tcp(let host, let port):
            // A wildcard address can't be connected to.
            host == "*" || host == "0.0.0.0" ? "http://localhost:\(port)" : "http://\(description)"
        case .unix, .activated: description
        }
    }
}
