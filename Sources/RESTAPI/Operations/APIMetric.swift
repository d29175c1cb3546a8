// SPDX-License-Identifier: Apache-2.0

/// A metric of the program around the API, for `/metrics`.
package struct APIMetric: Hashable, Sendable {
    package let name: String
    package let help: String
    package let value: Double
    package let isCounter: Bool
    package let labels: [Label]

    /// What distinguishes samples of one name.
    package struct Label: Hashable, Sendable {
        let name: String
        let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package static func counter(_ name: String, _ value: Double, _ help: String) -> APIMetric {
        APIMetric(name: name, help: help, value: value, isCounter: true, labels: [])
    }

    package static func gauge(_ name: String, _ value: Double, _ help: String, _ labels: [Label] = []) -> APIMetric {
        APIMetric(name: name, help: help, value: value, isCounter: false, labels: labels)
    }
}
