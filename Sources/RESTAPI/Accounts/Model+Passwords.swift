// SPDX-License-Identifier: Apache-2.0

// The model as those see it who administer.

import AccessRules
package import ObjectModel

extension Model {
    /// The model without the attribute with the passwords of accounts, and what refers to it.
    func withoutPasswords(of accounts: AccountSettings) -> Model {
        withoutAttributes([accounts.password], of: accounts.entity)
    }

    /// The model without attributes that an entity has or inherits, and without what refers to them.
    package func withoutAttributes(_ names: Set<String>, of entity: String) -> Model {
        guard let entity = self.entity(named: entity) else { return self }
        let lineage = Set(lineage(of: entity).map(\.name))
        var model = self
        for index in model.entities.indices where lineage.contains(model.entities[index].name) {
            model.entities[index].attributes.removeAll { names.contains($0.name) }
        }
        for index in model.entities.indices {
            model.entities[index].fetchIndexes = []
            model.entities[index].compoundIndexes = []
        }
        model.configurations = []
        return model.withoutBrokenParts
    }
}
