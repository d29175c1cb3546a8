// SPDX-License-Identifier: Apache-2.0

// A generated struct with stored properties, for composites and for objects' values.

struct SwiftStruct {
    let lines: [String]

    init(_ name: String, _ conformances: [String], _ members: [(name: String, type: String)], _ access: AccessLevel) {
        let head = "\(access.modifier)struct \(name): \(conformances.joined(separator: ", ")) {"
        guard !members.isEmpty else {
            lines = [head] + (access == .public ? ["    public init() {}"] : []) + ["}"]
            return
        }
        let fields = members.map { "    \(access.modifier)var \(SwiftNames.declared($0.name)): \($0.type)" }
        // The implicit memberwise initializer is internal.
        lines = [head] + fields + (access == .public ? [""] + Self.initializer(members) : []) + ["}"]
    }

    private static func initializer(_ members: [(name: String, type: String)]) -> [String] {
        let parameters = members.map { member in
            "\(SwiftNames.declared(member.name)): \(member.type)" + (member.type.hasSuffix("?") ? " = nil" : "")
        }
        let line = "    public init(\(parameters.joined(separator: ", "))) {"
        let head =
            line.count <= 120
            ? [line]
            : ["    public init("]
                + parameters.enumerated().map { "        \($1)" + ($0 < parameters.count - 1 ? "," : "") } + ["    ) {"]
        let body = members.map { "        self.\($0.name) = \(SwiftNames.declared($0.name))" }
        return head + body + ["    }"]
    }
}
