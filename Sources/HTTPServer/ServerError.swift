// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The reason why a server can't listen or run, with a remedy.
package struct ServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of an error, stable across versions, unlike messages.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let description: String

        /// Another program listens at the address, or a file is in the way.
        package static let addressInUse = Code(description: "addressInUse")
        package static let permissionDenied = Code(description: "permissionDenied")
        /// The machine doesn't have the address.
        package static let addressNotAvailable = Code(description: "addressNotAvailable")
        /// The address is malformed, or its host name is unknown.
        package static let invalidAddress = Code(description: "invalidAddress")
        /// No sockets were passed by the process that started this one.
        package static let notActivated = Code(description: "notActivated")
        /// Not enough descriptors, threads or memory.
        package static let exhausted = Code(description: "exhausted")
        /// The server is running or was stopped.
        package static let alreadyStarted = Code(description: "alreadyStarted")
    }

    package let code: Code
    /// One or two sentences in plain English.
    package let message: String
    /// The address at which the server was to listen.
    package let address: String?

    package var description: String { address.map { "\($0): \(message)" } ?? message }
}

extension ServerError {
    /// The error for a system error number at an address.
    static func listening(on address: String, _ number: CInt) -> ServerError {
        let (code, message): (Code, String) =
            switch number {
            case EADDRINUSE:
                (
                    .addressInUse,
                    "Another program already listens there, or has a connection from there. Choose another address or end that "
                        + "program; `ss -antxp` names it."
                )
            case EACCES, EPERM:
                (
                    .permissionDenied,
                    "Permission is denied. Choose a port above 1023, or a folder that this user may write to."
                )
            case EADDRNOTAVAIL, EAFNOSUPPORT:
                (.addressNotAvailable, "This machine doesn't have this address; `ip address` lists its addresses.")
            case ENOENT, ENOTDIR: (.addressNotAvailable, "The folder of this socket doesn't exist. Create it first.")
            case EMFILE, ENFILE, ENOBUFS, ENOMEM:
                (.exhausted, "Too many files are open, or memory is short. Raise the limit with `ulimit -n`.")
            default: (.addressNotAvailable, "The system reports error \(number).")
            }
        return ServerError(code: code, message: message, address: address)
    }

    static func inTheWay(_ path: String) -> ServerError {
        ServerError(
            code: .addressInUse,
            message: "The existing file isn't a socket. Choose another path, or remove it.",
            address: path
        )
    }

    static func invalidAddress(_ text: String) -> ServerError {
        ServerError(
            code: .invalidAddress,
            message:
                "This isn't a valid address to listen on. Write 127.0.0.1:8080, [::1]:8080, or unix:/run/name.sock.",
            address: text
        )
    }

    static func unknownHost(_ text: String) -> ServerError {
        ServerError(
            code: .invalidAddress,
            message: "This name is unknown. Write an address, such as 127.0.0.1:8080.",
            address: text
        )
    }

    static let notActivated = ServerError(
        code: .notActivated,
        message: "No listening sockets were passed (LISTEN_FDS and LISTEN_PID). Start the server with a socket unit, "
            + "or give an address.",
        address: nil
    )

    static let exhausted = ServerError(
        code: .exhausted,
        message:
            "The system provides no more threads or descriptors. Raise the limits with `ulimit -n` and `ulimit -u`.",
        address: nil
    )

    static func tooFewDescriptors(_ count: Int, _ needed: Int) -> ServerError {
        ServerError(
            code: .exhausted,
            message: "This process may have \(count) open files, but needs \(needed) in addition to its connections. "
                + "Raise the limit with `ulimit -n`.",
            address: nil
        )
    }

    static let alreadyStarted = ServerError(
        code: .alreadyStarted,
        message: "A server can only be started once. Create another one.",
        address: nil
    )
}
