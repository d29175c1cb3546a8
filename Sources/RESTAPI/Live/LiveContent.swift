// SPDX-License-Identifier: Apache-2.0

// The result of a live query, and its events.

import JSON
import ObjectGraph

/// An object of a list as clients see it. Unchanged objects stay identical from one result to the next.
final class LiveItem: Sendable {
    let objectID: ManagedObjectID
    let json: [UInt8]
    /// The name of its section as JSON, or nil if the list has no sections.
    let section: [UInt8]?

    init(_ objectID: ManagedObjectID, json: [UInt8], section: [UInt8]? = nil) {
        self.objectID = objectID
        self.json = json
        self.section = section
    }

    func isEqual(to other: LiveItem) -> Bool { self === other || json == other.json && section == other.section }
}

/// What a live query has found.
enum LiveContent: Sendable {
    case list(LiveList)
    case count(Int)
    /// Rows of values, as a JSON object.
    case table([UInt8])

    func isEqual(to other: LiveContent) -> Bool {
        switch (self, other) {
        case (.list(let one), .list(let other)): one.isEqual(to: other)
        case (.count(let one), .count(let other)): one == other
        case (.table(let one), .table(let other)): one == other
        default: false
        }
    }
}

extension LiveContent {
    /// Approximate, as if nothing were shared with other results.
    var size: Int {
        switch self {
        case .list(let list): list.items.reduce(0) { $0 + $1.json.count + 64 }
        case .count: 0
        case .table(let data): data.count
        }
    }
}

/// The objects of a list in order.
struct LiveList: Sendable {
    var items: [LiveItem]
    /// The number of objects without limit and offset, if requested.
    var total: Int?
    var hasSections = false

    func isEqual(to other: LiveList) -> Bool {
        total == other.total && items.count == other.items.count
            && zip(items, other.items).allSatisfy { $0.isEqual(to: $1) }
    }

    /// The list with the items of another one where these are equal.
    func reusing(_ former: LiveList) -> LiveList {
        var known: [ManagedObjectID: LiveItem] = [:]
        for item in former.items { known[item.objectID] = item }
        var list = self
        list.items = items.map { item in
            if let same = known[item.objectID], same.isEqual(to: item) { same } else { item }
        }
        return list
    }

    /// The names of sections as JSON, with the numbers of their objects.
    var sections: [(name: [UInt8], count: Int)] {
        var sections: [(name: [UInt8], count: Int)] = []
        for item in items {
            guard let name = item.section else { continue }
            if sections.last?.name == name {
                sections[sections.count - 1].count += 1
            } else {
                sections.append((name, 1))
            }
        }
        return sections
    }
}

// MARK: Events

extension LiveContent {
    /// The name and the data of an event with the whole result.
    ///
    /// - Parameter isReset: Whether it replaces a result that the client has.
    func event(isReset: Bool) -> LiveEvent {
        switch self {
        case .list(let list): LiveEvent(name: isReset ? "reset" : "result", data: list.data)
        case .count(let count): LiveEvent(name: "count", data: Array("{\"count\":\(count)}".utf8))
        case .table(let data): LiveEvent(name: isReset ? "reset" : "result", data: data)
        }
    }

    /// The event that turns a former result into this one, or nil if they are equal.
    func event(after former: LiveContent) -> LiveEvent? {
        switch (former, self) {
        case (.list(let former), .list(let list)):
            guard let data = list.changes(from: former) else { return nil }
            return LiveEvent(name: "change", data: data)
        case (_, .table) where !isEqual(to: former): return event(isReset: false)
        default: return isEqual(to: former) ? nil : event(isReset: false)
        }
    }
}

struct LiveEvent: Sendable {
    let name: String
    let data: [UInt8]

    /// The event as sent.
    ///
    /// - Parameter id: Identifies the result after the event.
    func bytes(id: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(data.count + 128)
        bytes += "id: \(id)\nevent: \(name)\n".utf8
        // JSON has no line ends outside of its strings, where they are escaped.
        bytes += "data: ".utf8
        bytes += data
        bytes += "\n\n".utf8
        return bytes
    }
}

extension LiveList {
    /// The whole list.
    fileprivate var data: [UInt8] {
        var buffer = JSONBuffer(capacity: 64 + items.reduce(0) { $0 + $1.json.count + 1 })
        buffer.write(raw: "{\"items\":[")
        for (place, item) in items.enumerated() {
            if place > 0 { buffer.write(byte: ",") }
            buffer.write(raw: item.json)
        }
        buffer.write(byte: "]")
        if let total { buffer.write(raw: ",\"total\":\(total)") }
        if hasSections { buffer.write(sections: sections) }
        buffer.write(byte: "}")
        return buffer.bytes
    }

    /// The changes that turn a former list into this one, or nil if they are equal.
    ///
    /// Deletions and the old places of moves refer to the list before all changes; insertions, the new places of moves
    /// and updates to the list after them. Deletions come first, then the others by place.
    func changes(from former: LiveList) -> [UInt8]? {
        let differences = LiveDifferences(from: former.items, to: items)
        let sections = sections
        let formerSections = former.sections
        let changesSections = !sections.elementsEqual(formerSections) { $0.name == $1.name && $0.count == $1.count }
        guard !differences.isEmpty || total != former.total || changesSections else { return nil }
        var buffer = JSONBuffer()
        buffer.write(raw: "{\"changes\":[")
        var isFirst = true
        func separate() {
            if !isFirst { buffer.write(byte: ",") }
            isFirst = false
        }
        for place in differences.deletions {
            separate()
            buffer.write(raw: "{\"delete\":\(place)}")
        }
        for change in differences.arrivals {
            separate()
            switch change {
            case .insert(let place): buffer.write(raw: "{\"insert\":\(place)")
            case .move(let from, let place, _): buffer.write(raw: "{\"move\":{\"from\":\(from),\"to\":\(place)}")
            case .update(let place): buffer.write(raw: "{\"update\":\(place)")
            }
            if change.isChanged {
                buffer.write(raw: ",\"object\":")
                buffer.write(raw: items[change.place].json)
            }
            buffer.write(byte: "}")
        }
        buffer.write(byte: "]")
        if let total, total != former.total { buffer.write(raw: ",\"total\":\(total)") }
        if changesSections { buffer.write(sections: sections) }
        buffer.write(byte: "}")
        return buffer.bytes
    }
}

extension JSONBuffer {
    fileprivate mutating func write(sections: [(name: [UInt8], count: Int)]) {
        write(raw: ",\"sections\":[")
        for (place, section) in sections.enumerated() {
            if place > 0 { write(byte: ",") }
            write(raw: "{\"name\":")
            write(raw: section.name)
            write(raw: ",\"count\":\(section.count)}")
        }
        write(byte: "]")
    }
}
