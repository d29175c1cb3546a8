// SPDX-License-Identifier: Apache-2.0

// Certificates of tests, made by `openssl`.

import Foundation

/// A certificate authority that exists as long as the test.
public final class TestAuthority: Sendable {
    public enum KeyKind: String, Sendable {
        case p256 = "ec"
        case rsa = "rsa:2048"
        /// Too short to be accepted.
        case weak = "rsa:1024"
    }

    /// A certificate with its key, as files.
    public struct Issued: Sendable {
        public let certificate: String
        public let key: String
        /// Keeps the files.
        fileprivate let folder: TemporaryFolder

        /// The PEM text of the certificate.
        public var certificateText: String { get throws { try String(contentsOfFile: certificate, encoding: .utf8) } }
        public var keyText: String { get throws { try String(contentsOfFile: key, encoding: .utf8) } }
    }

    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    private let folder: TemporaryFolder
    /// The authority's own certificate.
    public let root: Issued

    /// One for all tests of a process.
    public static let shared = Result { try TestAuthority() }

    public init(name: String = "Test Authority") throws {
        folder = try TemporaryFolder()
        let path = folder.path
        root = Issued(certificate: path + "/root.pem", key: path + "/root.key", folder: folder)
        try """
        [req]
        distinguished_name = name
        prompt = no
        [name]
        CN = \(name)
        [root]
        basicConstraints = critical, CA:TRUE
        subjectKeyIdentifier = hash
        """.write(toFile: path + "/root.cnf", atomically: true, encoding: .utf8)
        try Self.openssl(
            ["req", "-x509", "-config", path + "/root.cnf", "-extensions", "root", "-days", "2"]
                + Self.newKey(.p256, root)
        )
    }

    /// The PEM text of the authority's certificate.
    public var text: String { get throws { try root.certificateText } }

    /// Issues a certificate.
    ///
    /// - Parameters:
    ///   - names: Its alternative names, such as `DNS:localhost` or `IP:127.0.0.1`.
    ///   - days: How long it is valid; with a negative number it has expired.
    public func issue(
        _ subject: String,
        for names: [String] = ["DNS:localhost", "IP:127.0.0.1"],
        key: KeyKind = .p256,
        days: Int = 2
    ) throws -> Issued {
        let base = folder.path + "/" + UUID().uuidString
        let issued = Issued(certificate: base + ".pem", key: base + ".key", folder: folder)
        try """
        [req]
        distinguished_name = name
        prompt = no
        [name]
        CN = \(subject)
        [leaf]
        basicConstraints = CA:FALSE
        subjectAltName = \(names.joined(separator: ","))
        """.write(toFile: base + ".cnf", atomically: true, encoding: .utf8)
        let request = Issued(certificate: base + ".csr", key: issued.key, folder: folder)
        try Self.openssl(["req", "-new", "-config", base + ".cnf"] + Self.newKey(key, request))
        try Self.openssl([
            "x509", "-req", "-in", request.certificate, "-CA", root.certificate, "-CAkey", root.key, "-CAcreateserial",
            "-days", "\(days)", "-extfile", base + ".cnf", "-extensions", "leaf", "-out", issued.certificate,
        ])
        return issued
    }

    private static func newKey(_ kind: KeyKind, _ files: Issued) -> [String] {
        ["-newkey", kind.rawValue, "-nodes", "-keyout", files.key, "-out", files.certificate]
            + (kind == .p256 ? ["-pkeyopt", "ec_paramgen_curve:P-256"] : [])
    }

    /// Runs a command, and returns its output.
    @discardableResult
    public static func openssl(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(description: text) }
        return text
    }
}
