// SPDX-License-Identifier: Apache-2.0

// The certificates of a running server.

import Cryptography
import Dispatch
import FoundationEssentials
import SourceText

/// Reads the files of certificates and keys, at the start and again with SIGHUP.
final class ServedTLS: Sendable {
    let server: TLSServer
    private let settings: ServeSettings
    private let log: ServerLog
    private let queue = DispatchQueue(label: "certificates")

    /// Nil without a certificate in the settings.
    init?(_ settings: ServeSettings, _ log: ServerLog) throws {
        guard !settings.tlsCertificates.isEmpty else { return nil }
        self.settings = settings
        self.log = log
        let configuration = try Self.configuration(of: settings)
        server = try Self.explaining(settings.tlsClientCA) { () throws(CryptographyError) in
            try TLSServer(configuration)
        }
        warn(of: configuration)
    }

    /// Reads the files again. If one has a mistake, the server goes on with its certificates.
    func reload() {
        queue.async { [self] in
            do {
                let configuration = try Self.configuration(of: settings)
                try Self.explaining(settings.tlsClientCA) { () throws(CryptographyError) in
                    try server.replace(by: configuration)
                }
                log.log(.info, .tls, "The certificates were read again.")
                warn(of: configuration)
            } catch {
                let message = (error as? Failure)?.message ?? "\(error)"
                log.log(.error, .tls, "The certificates aren't read again. \(message)")
            }
        }
    }

    /// The certificates with their keys, and what is demanded of clients.
    static func configuration(of settings: ServeSettings) throws -> TLSServerConfiguration {
        var certificates: [TLSCertificate] = []
        for (file, keyFile) in zip(settings.tlsCertificates, settings.tlsKeys) {
            let chain = try text(of: file)
            let key = try text(of: keyFile)
            certificates.append(
                try explaining(file, keyFile) { () throws(CryptographyError) in
                    try TLSCertificate(chain: chain, key: key)
                }
            )
        }
        var configuration = TLSServerConfiguration(certificates: certificates)
        configuration.clientAuthorities = try settings.tlsClientCA.map(text)
        configuration.requiresClientCertificate = settings.tlsClientCert == .required
        return configuration
    }

    /// Throws if the files can't be used.
    static func check(_ settings: ServeSettings) throws {
        let configuration = try configuration(of: settings)
        _ = try explaining(settings.tlsClientCA) { () throws(CryptographyError) in try TLSServer(configuration) }
    }

    /// The text of a file of certificates or a key.
    static func text(of file: String) throws -> String {
        guard let data = try? Data(contentsOf: URL(filePath: file)) else {
            throw Failure(
                "The file “\(file)” can't be read.",
                hint: "Give a file in PEM form that this program's user may read."
            )
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// Adds the files that an error is about.
    private static func explaining<Result>(
        _ file: String?,
        _ keyFile: String? = nil,
        _ work: () throws(CryptographyError) -> Result
    ) throws -> Result {
        do throws(CryptographyError) {
            return try work()
        } catch {
            let files = [file, keyFile].compactMap { $0.map { "“\($0)”" } }
            throw Failure((files.isEmpty ? "" : Wording.list(files) + ": ") + error.message)
        }
    }

    private func warn(of configuration: TLSServerConfiguration) {
        let now = Int(Date.now.timeIntervalSince1970)
        for (certificate, file) in zip(configuration.certificates, settings.tlsCertificates)
        where certificate.expiry <= now {
            log.log(
                .warning,
                .tls,
                "The certificate of \(certificate.subject) in “\(file)” has expired, so clients refuse it."
            )
        }
    }
}
