// SPDX-License-Identifier: Apache-2.0

extension AccessPolicy {
    /// The roles of an account: the one of all accounts, and those that its attribute names, separated by commas. Names
    /// that aren't roles are ignored.
    package func accountRoles(named text: String?) -> Set<String> {
        var names = Set([identity.accounts?.baseRole].compactMap(\.self))
        for part in text?.split(separator: ",") ?? [] {
            var name = part.drop { $0 == " " }
            while name.last == " " { name.removeLast() }
            names.insert(String(name))
        }
        return names.filter { roles[$0] != nil }
    }
}
