// SPDX-License-Identifier: Apache-2.0

// The model as those see it who administer.

import AccessRules
import ObjectModel

extension Model {
    /// The model without the attribute with the passwords of accounts, and what refers to it.
    func withoutPasswords(of accounts: AccountSettings) -> Model {
        guard let entity = entity(named: accounts.entity) else { return self }
        let lineage = Set(lineage(of: entity).map(\.name))
        var model = self
        for index in model.entities.indices where lineage.contains(model.entities[index].name) {
            model.entities[index].attributes.removeAll { $0.name == accounts.password }
        }
        for index in model.entities.indices {
            model.entities[index].fetchIndexes = []
            model.entities[index].compoundIndexes = []
        }
        model.configurations = []
        return model.withoutBrokenParts
    }
}
