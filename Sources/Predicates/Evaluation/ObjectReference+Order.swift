// SPDX-License-Identifier: Apache-2.0

// The order of references: by store, and by number within it, whatever entities are called.

package import FoundationEssentials

extension ObjectReference {
    /// How two references are ordered: those without a store first, then store by store; in each those that aren't numbered first,
    /// as text, then by number. So the rows of a hierarchy are in the order of their keys.
    package func order(to other: ObjectReference) -> ComparisonResult {
        let (own, its) = (OrderKey(uri), OrderKey(other.uri))
        if let order = Self.order(own.store, its.store) { return order }
        switch (own.number, its.number) {
        case (nil, nil): break
        case (nil, _): return .orderedAscending
        case (_, nil): return .orderedDescending
        case (let left?, let right?):
            if left != right { return left < right ? .orderedAscending : .orderedDescending }
        }
        return Text.order(uri, other.uri)
    }

    private static func order(_ left: Substring.UTF8View, _ right: Substring.UTF8View) -> ComparisonResult? {
        if left.elementsEqual(right) { return nil }
        return left.lexicographicallyPrecedes(right) ? .orderedAscending : .orderedDescending
    }

    /// What the URI says of the store; empty where it says nothing.
    package var storeName: String { String(Substring(OrderKey(uri).store)) }

    private struct OrderKey {
        var store: Substring.UTF8View
        var number: Int64?

        init(_ uri: String) {
            let bytes = Substring(uri).utf8
            store = bytes.prefix(0)
            let prefix = "x-coredata://".utf8
            guard bytes.starts(with: prefix) else { return }
            let rest = bytes.dropFirst(prefix.count)
            store = rest.prefix { $0 != UInt8(ascii: "/") }
            guard let slash = rest.lastIndex(of: UInt8(ascii: "/")) else { return }
            let name = rest[slash...].dropFirst()
            guard name.first == UInt8(ascii: "p"), let digits = String(name.dropFirst()), let number = Int64(digits),
                String(number) == digits
            else { return }
            self.number = number
        }
    }
}
