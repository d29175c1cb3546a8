// SPDX-License-Identifier: Apache-2.0

// User info: no repeated keys.

extension ModelCheck {
    mutating func check(_ userInfo: UserInfo, of entity: String, _ property: String? = nil) {
        guard userInfo.entries.count > 1 else { return }
        var seen: Set<String> = []
        var told: Set<String> = []
        for entry in userInfo.entries where !seen.insert(entry.key).inserted && told.insert(entry.key).inserted {
            report(
                .userInfoDuplicate,
                entity,
                property,
                "The user info has the key “\(entry.key)” more than once; the first entry is used.",
                hint: "Remove the others; JSON can't represent them."
            )
        }
    }
}
