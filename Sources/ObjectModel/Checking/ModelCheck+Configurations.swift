// SPDX-License-Identifier: Apache-2.0

// Configurations: known entities, and no relationships across stores.

import Predicates

extension ModelCheck {
    mutating func checkConfigurations() {
        var names: Set<String> = []
        for configuration in model.configurations {
            let part = "The configuration “\(configuration.name)”"
            if !names.insert(configuration.name).inserted {
                report(
                    .configurationDuplicate,
                    nil,
                    "Several configurations have the name “\(configuration.name)”."
                )
            }
            var members: Set<String> = []
            for name in configuration.entityNames {
                if !members.insert(name).inserted {
                    report(.configurationMember, name, "\(part) has \(name) more than once.")
                } else if model.entity(named: name) == nil {
                    report(
                        .configurationUnknown,
                        name,
                        "\(part) has the unknown entity “\(name)”.",
                        hint: guess(name) { $0.entities.map(\.name) }
                    )
                }
            }
        }
        checkCrossings()
    }

    /// Objects of different stores can't be related, so both ends must share a configuration.
    private mutating func checkCrossings() {
        guard model.configurations.count > 1 else { return }
        var homes: [String: Set<String>] = [:]
        for configuration in model.configurations {
            for name in configuration.entityNames { homes[name, default: []].insert(configuration.name) }
        }
        for entity in model.entities {
            guard let home = homes[entity.name] else { continue }
            for relationship in entity.relationships {
                guard let other = homes[relationship.destinationName], home.isDisjoint(with: other) else { continue }
                report(
                    .configurationCrossing,
                    entity.name,
                    relationship.name,
                    "No configuration has both \(entity.name) and \(relationship.destinationName), and objects of different "
                        + "stores can't be related."
                )
            }
        }
    }
}
