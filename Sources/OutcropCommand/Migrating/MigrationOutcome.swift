// SPDX-License-Identifier: Apache-2.0

// What a migration has done, for people and for scripts.

import JSON
import ObjectGraph
import ObjectModel

/// A migration that was executed or rehearsed.
struct MigrationOutcome {
    let plan: PlannedMigration
    let isRehearsal: Bool
    var result = MigrationReport()
    var seconds = 0.0
    /// The copy of the store as it was.
    var backup: String?

    var report: Report {
        var report = Report(
            text: lines.joined(separator: "\n"),
            json: .object(json),
            status: result.obstacles.isEmpty ? .fine : .problems
        )
        report.remarks = plan.consequences
        return report
    }

    private var lines: [StyledText] {
        guard plan.migration != nil else {
            return [StyledText("\(plan.path) has “\(plan.target.name)” already.", .bold)]
        }
        var lines: [StyledText] = []
        for (place, stage) in result.stages.enumerated() {
            lines.append(StyledText("“\(plan.versionNames[place])” to “\(plan.versionNames[place + 1])”", .bold))
            lines += stage.lines.map { StyledText("  " + $0) }
        }
        let time = seconds < 5 ? "less than 5 s" : "\(Int(seconds.rounded(.up))) s"
        let hints = hints.map { StyledText($0) }
        guard !isRehearsal else {
            let verdict =
                result.obstacles.isEmpty
                ? "Nothing was changed. The migration took \(time)." : "The store can't be migrated as it is."
            return lines + [StyledText(verdict, .bold)] + hints
        }
        lines.append(StyledText("Migrated in \(time).", .bold))
        if let backup { lines.append(StyledText("The store as it was is in \(backup).")) }
        return lines + hints
    }

    /// What to know about the store afterwards, and about what is lost.
    private var hints: [String] {
        guard plan.migration != nil, result.obstacles.isEmpty else { return [] }
        var hints: [String] = []
        if !result.isLossless, !plan.hasRules {
            hints.append("Rules can say where values go that would be lost, in a store as it was: --mapping FILE")
        }
        if plan.isOfApp {
            hints.append(
                (isRehearsal ? "After the migration, the app" : "The app") + " that wrote the store can't open it: not "
                    + "with its older model, and with the new one only without checking hashes, which Core Data computes."
            )
        }
        return hints
    }

    private var json: JSONObject {
        var json: JSONObject = [
            "store": .string(plan.path),
            "from": .string(plan.stored.name),
            "to": .string(plan.target.name),
            "dryRun": .bool(isRehearsal),
            "isMigrated": .bool(plan.migration != nil && !isRehearsal),
            "milliseconds": .integer(Int((seconds * 1000).rounded())),
            "stages": result.json(naming: plan.versionNames),
            "consequences": .array(plan.consequences.map(\.json)),
        ]
        json["backup"] = backup.map(JSONValue.string)
        json["hints"] = .array(hints.map(JSONValue.string))
        return json
    }
}

extension MigrationReport {
    /// The stages, with the names of the versions that they begin and end with.
    func json(naming versions: [String]) -> JSONValue {
        .array(
            stages.enumerated().map { place, stage in
                var json = stage.json
                json["from"] = .string(versions[place])
                json["to"] = .string(versions[place + 1])
                return .object(json)
            }
        )
    }
}

extension MigrationReport.Stage {
    fileprivate var lines: [String] {
        var lines = entities.map { entity in
            let name = entity.name == entity.formerName ? entity.name : "\(entity.formerName), now \(entity.name)"
            let count = entity.objectCount.map { Wording.count($0, "object") }
            return switch entity.outcome {
            case .kept: "\(name): rows stay as they are"
            case .rewritten: "\(name): \(count ?? "rows") rewritten"
            case .deleted: "\(name): \(count ?? "objects") deleted"
            }
        }
        lines += entities.filter { $0.excludedCount > 0 }.map {
            "\($0.formerName): \(Wording.count($0.excludedCount, "object")) excluded by the mapping, and deleted"
        }
        lines += losses.map { "\($0.entity).\($0.property): lost in \(Wording.count($0.objectCount, "object"))" }
        return lines + violations.map(\.sentence)
    }

    fileprivate var json: JSONObject {
        [
            "entities": .array(
                entities.map { entity in
                    var json: JSONObject = ["name": .string(entity.name), "outcome": .string(entity.outcome.rawValue)]
                    if entity.formerName != entity.name { json["formerName"] = .string(entity.formerName) }
                    json["objects"] = entity.objectCount.map { .integer($0) }
                    if entity.excludedCount > 0 { json["excluded"] = .integer(entity.excludedCount) }
                    return .object(json)
                }
            ),
            "losses": .array(
                losses.map { loss in
                    [
                        "entity": .string(loss.entity), "property": .string(loss.property),
                        "objects": .integer(loss.objectCount),
                    ]
                }
            ),
            "violations": .array(
                violations.map { violation in
                    [
                        "entity": .string(violation.entity),
                        "properties": .array(violation.properties.map(JSONValue.string)),
                        "message": .string(violation.message),
                        "objects": .integer(violation.objectCount),
                        "examples": .array(violation.examples.map { .string("\(violation.entity)/\($0)") }),
                        "isObstacle": .bool(violation.isObstacle),
                    ]
                }
            ),
        ]
    }
}
