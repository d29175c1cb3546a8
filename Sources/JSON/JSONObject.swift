// SPDX-License-Identifier: Apache-2.0
// The members of an object, in order and with lookup by name.

public import SourceText

/// A name and value of an object.
public struct JSONMember: Sendable {
    public let name: String
    public var value: JSONValue
    /// The position of the name, for members that were read; ignored by equality.
    public let position: TextPosition?

    public init(_ name: String, _ value: JSONValue, position: TextPosition? = nil) {
        self.name = name
        self.value = value
        self.position = position
    }
}

extension JSONMember: Hashable {
    public static func == (left: JSONMember, right: JSONMember) -> Bool {
        left.name == right.name && left.value == right.value
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(value)
    }
}

/// An object of members with distinct names. Objects are equal if they have equal members in the same order.
///
/// Names are compared as Swift strings: an é of one scalar equals an é of two.
public struct JSONObject: Sendable {
    public private(set) var members: [JSONMember] = []
    /// The index of each name in `members`; nil while a linear search is fast enough.
    private var offsets: [String: Int]?
    private static let few = 16

    public init() {}

    /// Members in order. Of members with the same name, the last value is used at the position of the first.
    public init(_ members: some Sequence<(String, JSONValue)>) {
        for (name, value) in members { self[name] = value }
    }

    public var count: Int { members.count }
    public var isEmpty: Bool { members.isEmpty }
    public var names: [String] { members.map(\.name) }

    /// The value of a name. Setting replaces it in place or appends it; nil removes it, `.null` doesn't.
    public subscript(_ name: String) -> JSONValue? {
        get { offset(of: name).map { members[$0].value } }
        set {
            switch (offset(of: name), newValue) {
            case (let offset?, let value?): members[offset].value = value
            case (let offset?, nil): remove(at: offset)
            case (nil, let value?): append(JSONMember(name, value))
            case (nil, nil): break
            }
        }
    }

    /// The member of a name, with its position.
    public func member(_ name: String) -> JSONMember? {
        offset(of: name).map { members[$0] }
    }

    /// Appends a member with a new name.
    mutating func append(_ member: JSONMember) {
        members.append(member)
        if offsets != nil {
            offsets?[member.name] = members.count - 1
        } else if members.count > Self.few {
            indexNames()
        }
    }

    func offset(of name: String) -> Int? {
        if let offsets { return offsets[name] }
        return members.firstIndex { $0.name == name }
    }

    private mutating func remove(at offset: Int) {
        members.remove(at: offset)
        if offsets != nil { indexNames() }
    }

    private mutating func indexNames() {
        var offsets: [String: Int] = [:]
        for (offset, member) in members.enumerated() { offsets[member.name] = offset }
        self.offsets = offsets
    }
}

extension JSONObject: Hashable {
    public static func == (left: JSONObject, right: JSONObject) -> Bool { left.members == right.members }

    public func hash(into hasher: inout Hasher) { hasher.combine(members) }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}
