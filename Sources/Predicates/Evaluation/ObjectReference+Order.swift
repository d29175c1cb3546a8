// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

extension ObjectReference {
    /// The order of two references: by store, those without a store first. Within a store, references without a number
    /// come first, ordered as text, then the others by number, so that a hierarchy's rows are ordered by primary key.
    package func order(to other: ObjectReference) -> ComparisonResult {
        let own = OrderKey(uri)
        let its = OrderKey(other.uri)
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

    /// The store's name in the URI, or empty.
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
