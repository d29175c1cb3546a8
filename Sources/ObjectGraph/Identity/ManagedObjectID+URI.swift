// SPDX-License-Identifier: Apache-2.0

// IDs as URIs and back: x-coredata://<store>/<Entity>/p<reference>, x-coredata:///<Entity>/t<UUID>.

import FoundationEssentials
public import Predicates

extension ManagedObjectID: CustomStringConvertible {
    public var uri: String {
        switch origin {
        case .store(let store, .integer(let number)): "x-coredata://\(store.uuidString)/\(entity.name)/p\(number)"
        case .store(let store, .text(let text)):
            "x-coredata://\(store.uuidString)/\(entity.name)/p\(Self.escaped(text))"
        case .temporary(let identifier): "x-coredata:///\(entity.name)/t\(identifier.uuidString)"
        }
    }

    public var description: String { uri }

    /// The ID as predicates name it.
    public var objectReference: ObjectReference { ObjectReference(uri: uri) }

    /// Percent-encodes characters that aren't allowed in a URL path; slashes are.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            case _ where "-._~!$&'()*+,;=:@/".utf8.contains(byte): escaped.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                escaped += "%" + (digits.utf8.count == 1 ? "0" : "") + digits
            }
        }
        return escaped
    }
}

extension ManagedObjectID {
    /// The prefix of the URIs of temporary IDs, which name no store.
    static let temporaryPrefix = "x-coredata:///"
}

extension ManagedObjectModel {
    /// The temporary ID that a URI names, or nil.
    public func temporaryID(forURI uri: String) -> ManagedObjectID? {
        guard let parts = parts(ofURI: uri), parts.store == nil else { return nil }
        return UUID(uuidString: parts.reference).map { ManagedObjectID(entity: parts.entity, temporary: $0) }
    }

    /// The parts of an ID's URI; nil if it is invalid or the model lacks its entity.
    ///
    /// The reference is the text after the `p`.
    func parts(ofURI uri: String) -> (entity: EntityDescription, store: UUID?, reference: String)? {
        let prefix = "x-coredata://"
        guard uri.hasPrefix(prefix) else { return nil }
        let parts = uri.dropFirst(prefix.utf8.count).split(
            separator: "/",
            maxSplits: 2,
            omittingEmptySubsequences: false
        )
        guard parts.count == 3, let entity = entity(named: String(parts[1])), parts[2].utf8.count > 1 else {
            return nil
        }
        guard let reference = unescaped(parts[2].dropFirst()) else { return nil }
        switch (parts[0].isEmpty, parts[2].first) {
        case (true, "t"): return UUID(uuidString: reference).map { _ in (entity, nil, reference) }
        case (false, "p"): return UUID(uuidString: String(parts[0])).map { (entity, $0, reference) }
        default: return nil
        }
    }
}

/// Percent-decodes a text; nil if it is malformed or not UTF-8.
private func unescaped(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%") else {
            bytes.append(byte)
            continue
        }
        guard let digits = String(rest.prefix(2)), digits.utf8.count == 2, let escaped = UInt8(digits, radix: 16) else {
            return nil
        }
        bytes.append(escaped)
        rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
}
