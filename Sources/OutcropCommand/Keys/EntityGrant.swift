// SPDX-License-Identifier: Apache-2.0

import Arguments
import Identities
import SourceText

/// Verbs for an entity on the command line: `Post:read,create`.
struct EntityGrant: ArgumentValue {
    let entity: String
    let verbs: Set<AccessVerb>

    init(argument: String) throws(InvalidArgument) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
            throw InvalidArgument("expected an entity, a colon and verbs, such as Post:read,create")
        }
        var verbs: Set<AccessVerb> = []
        for word in parts[1].split(separator: ",", omittingEmptySubsequences: false) {
            guard let verb = AccessVerb(rawValue: String(word)) else {
                throw InvalidArgument(
                    "expected some of \(AccessVerb.allCases.map(\.rawValue).joined(separator: ", ")) after the colon"
                )
            }
            verbs.insert(verb)
        }
        entity = String(parts[0])
        self.verbs = verbs
    }

    var argument: String { entity + ":" + AccessVerb.sorted(verbs).map(\.rawValue).joined(separator: ",") }
}
