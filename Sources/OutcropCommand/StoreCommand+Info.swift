// SPDX-License-Identifier: Apache-2.0

// `outcrop store info`

import Arguments
import FoundationEssentials
import JSON
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteStore

extension StoreCommand {
    static let info = Command<Action>(
        "info",
        "Show a store's kind, sizes, and numbers of objects.",
        discussion: """
            Shows the store's identifier, sizes, the versions of the model that it carries, its metadata, and the number of
            objects of each entity, without those of its subentities. A SQLite store needs no model for
            this, not even one that it carries.
            """,
        examples: [Example("outcrop store info App.sqlite")],
        exitCodes: exitCodes,
        parameters: [store, model]
    ) { parsed, _ in
        let location = parsed[store]
        if try location.existingKind() == .sqlite {
            return StoreOutline(try StoreSummary(path: location.path), path: location.path).report
        }
        return try StoreOutline(StoreFiles.open(location, model: parsed[model])).report
    }
}

/// The description of a store of any kind.
private struct StoreOutline {
    let path: String
    let kind: StoreKind
    let identifier: UUID
    let metadata: StoreMetadata
    let model: Model?
    let isModelEmbedded: Bool
    var modelError: ModelError?
    let entities: [(name: String, parent: String?, objects: Int)]
    var historyTransactions: Int?
    /// The parts of the store and their sizes in bytes.
    var sizes: [(name: String, bytes: Int)] = []
    var externalFiles = 0

    init(_ summary: StoreSummary, path: String) {
        self.path = path
        kind = .sqlite
        identifier = summary.identifier
        metadata = summary.metadata
        model = summary.model
        isModelEmbedded = summary.model != nil
        modelError = summary.modelError
        entities = summary.entities.map { ($0.name, $0.parent, $0.objects) }
        historyTransactions = summary.historyTransactions
        externalFiles = summary.externalFiles
        sizes = [
            ("file", summary.fileSize), ("free", summary.freeSize), ("log", summary.logSize),
            ("external", summary.externalSize),
        ]
    }

    init(_ opened: OpenedStore) throws {
        path = opened.path
        kind = opened.kind
        identifier = opened.store.identifier
        metadata = opened.store.metadata
        model = opened.model.model
        isModelEmbedded = false
        let attributes = try? FileManager.default.attributesOfItem(atPath: opened.path)
        sizes = [("file", attributes?[.size] as? Int ?? 0)]
        entities = try opened.model.entities.map { entity in
            let request = StoreFetchRequest(entity: entity, includesSubentities: false, kind: .count)
            guard case .count(let count) = try opened.store.fetch(request, at: nil) else {
                return (entity.name, nil, 0)
            }
            return (entity.name, entity.entity.parentName, count)
        }
    }

    var report: Report { Report(text: text, json: .object(json)) }

    private var text: StyledText {
        var lines: [StyledText] = [
            StyledText(path, .bold) + StyledText("  \(kind.name) store \(identifier.uuidString)")
        ]
        var size = sizes.filter { $0.name == "file" || $0.bytes > 0 }.map { size in
            let name = size.name == "external" ? Wording.count(externalFiles, "external file") : size.name
            return size.name == "file" ? Self.size(size.bytes) : "\(name) \(Self.size(size.bytes))"
        }
        if let count = historyTransactions { size.append("\(Wording.count(count, "transaction")) of history") }
        lines.append(StyledText("size   " + size.joined(separator: ", ")))
        lines.append(StyledText("model  " + modelLine))
        lines += ["", StyledText("Objects", .bold)]
        let width = entities.map { label($0).count }.max() ?? 0
        let digits = entities.map { "\($0.objects)".count }.max() ?? 0
        for entity in entities {
            let label = label(entity)
            let padding = String(repeating: " ", count: width - label.count + 2 + digits - "\(entity.objects)".count)
            lines.append(StyledText("  " + label + padding + "\(entity.objects)"))
        }
        let values = metadata.values.filter { $0.key != StoreMetadata.identifierKey }.sorted { $0.key < $1.key }
        lines += ["", StyledText("Metadata", .bold)]
        for (key, value) in values { lines.append(StyledText("  \(key): \(Self.brief(value))")) }
        return lines.joined(separator: "\n")
    }

    private func label(_ entity: (name: String, parent: String?, objects: Int)) -> String {
        entity.parent.map { "\(entity.name) : \($0)" } ?? entity.name
    }

    private var modelLine: String {
        guard let model else { return modelError.map { "carried, but can't be read: \($0.message)" } ?? "none carried" }
        let versions = model.versionIdentifiers.filter { !$0.isEmpty }
        let version =
            versions.isEmpty ? "no version named" : "version " + versions.map { "“\($0)”" }.joined(separator: ", ")
        let origin = isModelEmbedded ? "carried" : "not carried"
        return "\(origin), \(version), \(Wording.count(model.entities.count, "entity"))"
    }

    private var json: JSONObject {
        var json: JSONObject = [
            "path": .string(path), "kind": .string(kind.rawValue), "identifier": .string(identifier.uuidString),
        ]
        json["sizes"] = .object(JSONObject(sizes.map { ($0.name, .integer($0.bytes)) }))
        if kind == .sqlite { json["externalFiles"] = .integer(externalFiles) }
        json["historyTransactions"] = historyTransactions.map { .integer($0) }
        json["model"] = model.map { model in
            [
                "carried": .bool(isModelEmbedded),
                "versionIdentifiers": .array(model.versionIdentifiers.map(JSONValue.string)),
                "entities": .integer(model.entities.count),
            ]
        }
        json["modelError"] = (modelError?.message).map(JSONValue.string)
        json["entities"] = .array(
            entities.map { entity in
                var json: JSONObject = ["name": .string(entity.name)]
                json["parent"] = entity.parent.map(JSONValue.string)
                json["objects"] = .integer(entity.objects)
                return .object(json)
            }
        )
        let values = metadata.values.sorted { $0.key < $1.key }
        json["metadata"] = .object(JSONObject(values.map { ($0.key, $0.value.resultJSON) }))
        return json
    }

    /// Describes collections by their number of elements.
    private static func brief(_ value: Value) -> String {
        switch value {
        case .array(let members) where members.allSatisfy { $0.text?.isEmpty ?? false }: "none"
        case .array(let members):
            members.count > 4 || members.contains { $0.text == nil }
                ? Wording.count(members.count, "value") : members.map { $0.resultText() }.joined(separator: ", ")
        case .dictionary(let members): Wording.count(members.count, "entry")
        default: value.resultText()
        }
    }

    /// `512 bytes`, `40.0 KiB`, `2.5 MiB`.
    private static func size(_ bytes: Int) -> String {
        var size = Double(bytes)
        var units = ["KiB", "MiB", "GiB", "TiB"][...]
        guard size >= 1024 else { return Wording.count(bytes, "byte") }
        size /= 1024
        while size >= 1024, units.count > 1 {
            size /= 1024
            units.removeFirst()
        }
        let tenths = Int((size * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(units.first ?? "KiB")"
    }
}

extension Value {
    fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
}
