// SPDX-License-Identifier: Apache-2.0

// `outcrop demo-data`

import Arguments
import DemoData
import FoundationEssentials
import JSON
import ObjectGraph

enum DemoDataCommand {
    private static let store = Argument<StoreLocation>(
        "STORE",
        "The store to fill, which is created if it doesn't exist.",
        completion: StoreFiles.completion
    )
    private static let model = Option<String?>(
        "model",
        value: "FILE",
        "The model of a store that is new or carries none.",
        completion: ModelFiles.completion
    )
    private static let seed = Option<Int>(
        "seed",
        value: "N",
        "Selects the data; the same seed always gives the same data.",
        default: 1
    )
    private static let count = Option<Int>(
        "count",
        value: "N",
        "The approximate total number of objects.",
        default: 2_000
    )
    private static let entities = Option<[EntityCount]>(
        "entity",
        value: "NAME=N",
        "The number of objects of one entity, such as Tag=50."
    )

    static let command = Command<Action>(
        "demo-data",
        "Fill a store with plausible data.",
        discussion: """
            Creates objects of each concrete entity of the model, with values that suit the names of their attributes, and
            relationships between them. The same seed gives the same data on every machine. The store must have
            no objects of these entities yet. Memory doesn't grow with their number.
            """,
        examples: [
            Example("outcrop demo-data App.sqlite --model App.xcdatamodeld"),
            Example("outcrop demo-data App.sqlite --seed 7 --count 1000000 --entity Tag=50"),
        ],
        exitCodes: StoreCommand.exitCodes,
        parameters: [store, model, seed, count, entities]
    ) { parsed, _ in
        guard parsed[count] >= 0, parsed[seed] >= 0 else {
            throw Failure("--count and --seed can't be less than 0.", status: .usage)
        }
        let endpoint = try EndpointChoice.store(parsed[store], model: parsed[model], isReadOnly: false)
        let coordinator = endpoint.coordinator
        for entity in endpoint.entities where try endpoint.store.count(of: entity) > 0 {
            throw Failure(
                "The store has objects of \(entity.name) already.",
                hint: "Demo data need a store without objects.",
                code: "store.exists",
                file: endpoint.name
            )
        }
        var counts: [String: Int] = [:]
        for chosen in parsed[entities] {
            let entity = try endpoint.model.entity(forCommand: chosen.name)
            guard !entity.isAbstract else {
                throw Failure("\(entity.name) is abstract, so it can't have objects.", status: .usage)
            }
            counts[entity.name] = chosen.count
        }
        let data = DemoData(model: endpoint.model, seed: UInt64(parsed[seed]), size: parsed[count], counts: counts)
        let made = try ProgressBar.showing("Filling \(endpoint.name)") { _ in
            try data.fill(coordinator).sorted { $0.key < $1.key }
        }
        let lines = made.map { "\($0.key): \($0.value)" }
        let sum = made.reduce(0) { $0 + $1.value }
        return Report(
            text: StyledText(
                (lines + ["Created \(Wording.count(sum, "object")) in \(endpoint.name)."]).joined(separator: "\n")
            ),
            json: [
                "objects": .integer(sum),
                "entities": .object(JSONObject(made.map { ($0.key, .integer($0.value)) })),
            ]
        )
    }
}

/// An entity and a number: `Post=100`.
private struct EntityCount: ArgumentValue {
    let argument: String
    let name: String
    let count: Int

    init(argument: String) throws(InvalidArgument) {
        self.argument = argument
        let parts = argument.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let count = Int(parts[1]), count >= 0 else {
            throw InvalidArgument("expected an entity and a number, as in Post=100")
        }
        name = String(parts[0])
        self.count = count
    }
}
