// SPDX-License-Identifier: Apache-2.0

// Finds the part of a predicate's text that a message concerns.

import JSON
import ObjectGraph
import ObjectModel
import Predicates

/// The names in a predicate's text as model names, with their byte offsets.
struct FormatNames {
    private struct Name {
        var text: String
        var isContinued: Bool
        var offset: Int
    }

    private var names: [Name] = []
    private let list: [FormatName]

    init(_ text: String, arguments given: [PredicateArgument]) {
        list = FormatName.list(in: text)
        for name in list {
            switch name.kind {
            case .step(let step): add([step], of: name)
            case .variable(let variable): add(["$\(variable)"], of: name)
            case .function(let function): add([function], of: name)
            case .argument: break
            case .keyArgument(let index):
                guard given.indices.contains(index), let path = given[index].string else { continue }
                add(path.split(separator: ".").map(String.init), of: name)
            }
        }
    }

    private mutating func add(_ steps: [String], of name: FormatName) {
        for (place, step) in steps.enumerated() {
            let text = Key(inAPI: step)?.text ?? step
            names.append(Name(text: text, isContinued: name.isContinued || place > 0, offset: name.offset))
        }
    }

    func offset(ofArgument index: Int) -> Int {
        list.first { name in
            switch name.kind {
            case .argument(let argument): argument.index == index
            case .keyArgument(let other): other == index
            default: false
            }
        }?.offset ?? 0
    }

    func offset(ofVariable name: String) -> Int { list.first { $0.kind == .variable(name) }?.offset ?? 0 }

    /// The offset of a name as it was written.
    func offset(ofStep name: String) -> Int { list.first { $0.kind == .step(name) }?.offset ?? 0 }

    /// The offset of the step or key path that a finding concerns.
    func offset(of issue: ModelIssue) -> Int {
        if let path = issue.place.property, let found = offsets(of: path) {
            switch issue.code {
            case .predicateKey, .predicatePath, .predicateTransient, .predicateFetchedProperty: return found.last
            default: return found.first
            }
        }
        // A finding without a path has the name in its message.
        return names.first { $0.text.utf8.count > 1 && issue.message.contains($0.text) }?.offset ?? 0
    }

    private func offsets(of path: String) -> (first: Int, last: Int)? {
        let steps = path.split(separator: ".").map(String.init)
        guard !steps.isEmpty, names.count >= steps.count else { return nil }
        for start in 0...(names.count - steps.count) {
            let part = names[start..<(start + steps.count)]
            if zip(part, steps).allSatisfy({ $0.text == $1 }), part.dropFirst().allSatisfy(\.isContinued) {
                return (part[start].offset, part[start + steps.count - 1].offset)
            }
        }
        return nil
    }
}

extension PredicateArgument {
    /// The argument's text, or nil if it isn't text.
    var string: String? {
        switch self {
        case .text(let text): text
        case .json(let value): value.string
        }
    }
}
