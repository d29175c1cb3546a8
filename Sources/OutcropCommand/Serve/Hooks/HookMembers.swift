// SPDX-License-Identifier: Apache-2.0

// Reads the members of a webhook.

import Arguments
import JSON
import RESTAPI
import SourceText

/// Reads the members of a hook, and collects problems.
struct HookMembers {
    let object: JSONObject
    let places: [String: String]
    let place: String
    private(set) var problems: [SettingProblem] = []

    init(object: JSONObject, places: [String: String], place: String) {
        self.object = object
        self.places = places
        self.place = place
    }

    private mutating func refuse(_ member: String, _ message: String, hint: String? = nil) {
        problems.append(SettingProblem(place: places[member] ?? place, message: message, hint: hint))
    }

    /// A member that isn't null.
    private func value(_ member: String) -> JSONValue? {
        guard let value = object[member], !value.isNull else { return Optional.none }
        return value
    }

    mutating func text(_ member: String) -> String? {
        guard let value = value(member) else { return nil }
        if let text = value.string, !text.isEmpty { return text }
        refuse(member, "“\(member)” must be a text that isn't empty.")
        return nil
    }

    mutating func name() -> String? {
        guard value("name") != nil else {
            refuse("name", "The webhook has no “name”.", hint: "It identifies the webhook's position in the history.")
            return nil
        }
        guard let name = text("name") else { return nil }
        if Hook.isName(name) { return name }
        refuse(
            "name",
            "“\(name.printable())” can't be a webhook's name.",
            hint: "Use up to 64 letters, digits, -, _ and ., the first no dot."
        )
        return nil
    }

    mutating func url(allowing hosts: [HookHost]) -> HookURL? {
        guard value("url") != nil else {
            refuse("url", "The webhook has no “url”.")
            return nil
        }
        guard let text = text("url") else { return nil }
        do throws(HookURL.Failure) {
            let url = try HookURL(text)
            if hosts.contains(where: { $0.allows(url) }) { return url }
            refuse(
                "url",
                "Webhooks may not send to \(url.authority).",
                hint: "Allow it: --hook-hosts \(url.authority)"
            )
        } catch {
            refuse("url", error.message, hint: error.hint)
        }
        return nil
    }

    mutating func texts(_ member: String, among choices: [String]? = nil) -> [String]? {
        guard let value = value(member) else { return nil }
        guard let list = value.array, !list.isEmpty, list.allSatisfy({ $0.string != nil }) else {
            refuse(member, "“\(member)” must be a list of texts.", hint: "Omit it for all.")
            return nil
        }
        let texts = list.compactMap(\.string)
        if let choices, let other = texts.first(where: { !choices.contains($0) }) {
            refuse(
                member,
                "“\(member)” can't have “\(other.printable())”.",
                hint: Spelling.hint(for: other, among: choices) ?? "Use \(Wording.alternatives(choices))."
            )
            return nil
        }
        return texts
    }

    /// A time that isn't zero.
    mutating func readTime(_ member: String, into target: inout Duration) {
        var time = target
        read(member, .duration, into: &time)
        guard time > .zero else { return refuse(member, "“\(member)” must be longer than 0 s.") }
        target = time
    }

    mutating func read<Value>(_ member: String, _ type: SettingType<Value>, into target: inout Value) {
        var optional: Value? = target
        read(member, type, into: &optional)
        if let optional { target = optional }
    }

    mutating func read<Value>(_ member: String, _ type: SettingType<Value>, into target: inout Value?) {
        guard let value = value(member) else { return }
        let word =
            switch value.kind {
            case .string(let text): text
            case .number(let number): "\(number)"
            default: ""
            }
        do throws(InvalidArgument) {
            target = try type.read(word)
        } catch {
            refuse(member, "“\(member)” isn't valid: \(error.reason).")
        }
    }

    /// The secret itself, or that in a file or a variable.
    mutating func secret(_ reader: HookSecret) -> [UInt8]? {
        guard let value = value("secret") else {
            refuse("secret", "The webhook has no “secret”, with which requests are signed.", hint: HookSecret.hint)
            return nil
        }
        do throws(HookSecret.Failure) {
            return try reader.bytes(value)
        } catch {
            refuse("secret", error.message, hint: error.hint)
            return nil
        }
    }
}
