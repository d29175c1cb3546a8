// SPDX-License-Identifier: Apache-2.0

// The versions of the model that clients may name, and an API for each that differs from the served one.

import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Synchronization

/// The known versions of the model.
///
/// 1. A version is named by its checksum or the beginning that `Model-Version` has, by its name in the model's file, or by
///    one of its version identifiers, which may be quoted.
/// 2. A name of the served version costs a comparison or a look-up; those of other versions are collected on first use.
/// 3. The API of another version is made when a client first names it, and is kept.
final class ModelVersions: Sendable {
    /// A version that differs from the others.
    private struct Version: Sendable {
        let model: Model
        /// Its names in files of the model.
        var titles: [String]

        var title: String { titles.first ?? model.versionName }
    }

    /// What a name in a request means.
    private enum Meaning {
        case served
        case version(Int)
        case ambiguous
    }

    /// From the oldest to the newest, the served one included.
    private let versions: [Version]
    private let servedIndex: Int
    /// `Model-Version` of the served version.
    private let servedName: String
    private let meanings = Mutex<[String: Meaning]?>(nil)
    private let apis = Mutex<[Int: Result<API, Problem>]>([:])

    private static let limit = 64

    /// - Parameter known: The known versions, from the oldest to the newest; their names may be empty. The served one may be
    ///   missing.
    init(_ known: [ModelVersion], served: Model) {
        var versions: [Version] = []
        var places: [Model: Int] = [:]
        for version in known {
            let place = places[version.model] ?? versions.count
            if place == versions.count {
                versions.append(Version(model: version.model, titles: []))
                places[version.model] = place
            }
            guard !version.name.isEmpty, !versions[place].titles.contains(version.name) else { continue }
            versions[place].titles.append(version.name)
        }
        var servedIndex = places[served] ?? versions.count
        if servedIndex == versions.count { versions.append(Version(model: served, titles: [])) }
        // The oldest ones are forgotten first.
        let surplus = min(max(0, versions.count - Self.limit), servedIndex)
        versions.removeFirst(surplus)
        servedIndex -= surplus
        self.versions = versions
        self.servedIndex = servedIndex
        servedName = served.versionName
    }

    /// All versions, to be known by the next API too.
    var all: [ModelVersion] {
        versions.flatMap { version in
            (version.titles.isEmpty ? [""] : version.titles).map { ModelVersion(name: $0, model: version.model) }
        }
    }

    /// Whether there is a version besides the served one.
    var hasOthers: Bool { versions.count > 1 }

    /// Whether a field's value names the served version.
    func isServed(_ field: String) -> Bool {
        let name = Self.unquoted(field)
        if name == servedName { return true }
        if case .served = meaning(of: name) { return true } else { return false }
    }

    /// The API of the version that a field names, or nil for the served one.
    func api(named field: String, of api: API) throws(Problem) -> API? {
        let name = Self.unquoted(field)
        if name == servedName { return nil }
        switch meaning(of: name) {
        case .served: return nil
        case .version(let index):
            return try apis.withLock { apis in
                if let known = apis[index] { return known }
                let made = Result { () throws(Problem) in try self.api(at: index, of: api) }
                apis[index] = made
                return made
            }.get()
        case .ambiguous: throw .ambiguousVersion(name, names: names)
        case nil: throw .unknownVersion(name, names: names)
        }
    }

    private static func unquoted(_ field: String) -> String {
        guard field.utf8.count > 1, field.hasPrefix("\""), field.hasSuffix("\"") else { return field }
        return String(field.dropFirst().dropLast())
    }

    private func meaning(of name: String) -> Meaning? {
        meanings.withLock { known in
            let all = known ?? collected
            known = all
            return all[name]
        }
    }

    /// The names of all versions. A name that several have means the served one, or else the newest, if it is a checksum or
    /// comes from a file; an identifier that several have is ambiguous.
    private var collected: [String: Meaning] {
        let order = versions.indices.filter { $0 != servedIndex } + [servedIndex]
        var meanings: [String: Meaning] = [:]
        for index in order {
            for identifier in Set(versions[index].model.versionIdentifiers) {
                meanings[identifier] = meanings[identifier] == nil ? meaning(of: index) : .ambiguous
            }
        }
        for index in order {
            for title in versions[index].titles { meanings[title] = meaning(of: index) }
        }
        for index in order {
            let checksum = versions[index].model.versionChecksum.hex
            meanings[checksum] = meaning(of: index)
            meanings[versions[index].model.versionName] = meaning(of: index)
        }
        return meanings
    }

    private func meaning(of index: Int) -> Meaning { index == servedIndex ? .served : .version(index) }

    /// The known versions, for messages.
    private var names: [String] {
        versions.map { version in
            version.titles.isEmpty ? version.model.versionName : "\(version.title) (\(version.model.versionName))"
        }
    }

    private func api(at index: Int, of api: API) throws(Problem) -> API {
        let version = versions[index]
        let served = api.catalogue.model
        let isLater = index > servedIndex
        let between =
            isLater ? Array(versions[(servedIndex + 1)..<index]) : versions[(index + 1)..<servedIndex].reversed()
        let mapping = ShapeMapping(
            of: served.model,
            in: version.model,
            through: between.map(\.model),
            isLater: isLater
        )
        guard mapping.differences.isEmpty else { throw .differingVersion(version.title, mapping.differences) }
        do {
            let view = ModelView(mapping, of: served, in: try ManagedObjectModel(version.model))
            let catalogue = try Catalogue(view, migrationCount: api.coordinator.migrationCount)
            return API(viewing: api, as: catalogue, drafts: try Catalogue(view, includesTransients: true))
        } catch {
            throw Problem(.modelVersion, "The version “\(version.title)” of the model can't be served: \(error)")
        }
    }
}

extension Problem {
    fileprivate static func unknownVersion(_ name: String, names: [String]) -> Problem {
        Problem(
            .modelVersion,
            "The server doesn't know the version “\(name.shortened)” of its model.",
            hint: "Known versions: \(names.joined(separator: ", "))."
        )
    }

    fileprivate static func ambiguousVersion(_ name: String, names: [String]) -> Problem {
        Problem(
            .modelVersion,
            "Several versions of the model have the identifier “\(name.shortened)”.",
            hint:
                "Use the value of “Model-Version” or the version's name. Known versions: \(names.joined(separator: ", "))."
        )
    }

    fileprivate static func differingVersion(_ name: String, _ differences: [ShapeDifference]) -> Problem {
        var problem = Problem(
            .modelVersion,
            "Clients of the version “\(name)” of the model would lose something: "
                + (differences.count == 1
                    ? "\(differences[0].line)."
                    : "there are \(differences.count) such differences from the served version."),
            hint: "Update the client to the version in “Model-Version”."
        )
        problem.errors = differences.map { difference in
            Detail(
                object: difference.entity,
                property: difference.property,
                code: difference.code,
                message: difference.line
            )
        }
        problem.omitErrors()
        return problem
    }
}
