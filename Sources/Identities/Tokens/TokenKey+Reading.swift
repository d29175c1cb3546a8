// SPDX-License-Identifier: Apache-2.0

// Reads keys in PEM form and secrets from files.

import Cryptography
import Files
import SourceText

extension TokenKey {
    private static let maximumSize = 1 << 20
    private static let beginning = "-----BEGIN "

    /// The keys in a file: public keys or a certificate in PEM form, a JSON Web Key, or a set of these.
    package static func keys(fromFile path: String) throws(IdentityError) -> [TokenKey] {
        do throws(IdentityError) {
            return try keys(in: try bytes(of: path), allowingSecrets: true)
        } catch {
            throw error.at(path)
        }
    }

    /// The key that is the secret in a file, for HS256. A line break at the end isn't part of it.
    package static func secret(fromFile path: String) throws(IdentityError) -> TokenKey {
        do throws(IdentityError) {
            var bytes = try bytes(of: path)
            while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { bytes.removeLast() }
            // Those who have a public key could sign tokens with it.
            guard !String(decoding: bytes, as: UTF8.self).contains(beginning), bytes.first != UInt8(ascii: "{") else {
                throw IdentityError(.invalidFile, "The file has a key in PEM form or JSON, which is no secret.")
            }
            do throws(CryptographyError) {
                return TokenKey(try VerificationKey(secret: bytes))
            } catch {
                throw IdentityError(.invalidFile, error.message, hint: "Make one: openssl rand -hex 32")
            }
        } catch {
            throw error.at(path)
        }
    }

    /// The keys in a document: PEM or JSON.
    package static func keys(in bytes: [UInt8], allowingSecrets: Bool) throws(IdentityError) -> [TokenKey] {
        guard bytes.count <= maximumSize else { throw IdentityError(.invalidFile, "The keys have more than 1 MiB.") }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains(beginning) else {
            return try JSONWebKeyReader(allowsSecrets: allowingSecrets).keys(in: bytes)
        }
        guard !text.contains("PRIVATE KEY-----") else {
            throw IdentityError(
                .invalidFile,
                "The file has a private key, which isn't needed to verify tokens.",
                hint: "Write its public key to another file: openssl pkey -in KEY -pubout -out PUBLIC"
            )
        }
        // Of certificates only the first one is the signer's; the others have signed it.
        let publicKeys = text.ranges(of: beginning + "PUBLIC KEY-----").map { String(text[$0.lowerBound...]) }
        var keys: [TokenKey] = []
        for text in publicKeys.isEmpty ? [text] : publicKeys {
            do throws(CryptographyError) {
                keys.append(TokenKey(try VerificationKey(pem: text)))
            } catch {
                throw IdentityError(.invalidFile, error.message)
            }
        }
        return keys
    }

    private static func bytes(of path: String) throws(IdentityError) -> [UInt8] {
        do throws(FileError) {
            guard FileSystem.isFile(path) else { throw FileError(.missing, "there is no such file", path: path) }
            return try OpenFile(reading: path).read(at: 0, count: maximumSize + 1)
        } catch {
            throw IdentityError(.unreadable, "The file of keys can't be read: \(error.reason).")
        }
    }
}

extension IdentityError {
    /// The error with a file as its place, before the position in it.
    func at(_ path: String) -> IdentityError {
        IdentityError(code, message, hint: hint, place: place.map { "\(path):\($0)" } ?? path)
    }
}
