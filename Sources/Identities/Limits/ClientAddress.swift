// SPDX-License-Identifier: Apache-2.0

/// What limits count clients by.
package enum ClientAddress {
    /// The address of a client; of one with IPv6 the first 64 bits, which it can't choose.
    package static func network(of client: String) -> String {
        guard client.contains(":") else { return client }
        let address = client.prefix { $0 != "%" }
        let last = address.split(separator: ":").last ?? ""
        if last.contains(".") { return String(last) }
        let halves = address.split(separator: "::", omittingEmptySubsequences: false)
        let head = halves[0].split(separator: ":")
        let tail = halves.count > 1 ? halves[1].split(separator: ":") : []
        let zeros = [Substring](repeating: "0", count: max(0, 8 - head.count - tail.count))
        return (head + zeros + tail).prefix(4).joined(separator: ":") + "::/64"
    }
}
