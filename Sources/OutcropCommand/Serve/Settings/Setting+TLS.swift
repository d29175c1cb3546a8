// SPDX-License-Identifier: Apache-2.0

// The settings of TLS.

import Arguments
import HTTPServer

extension Setting {
    static let tls = [
        Setting(
            "tlsCert",
            each: \.tlsCertificates,
            .text("FILE"),
            in: .tls,
            defaultDescription: "none, so that the server speaks plain HTTP",
            completion: .file(["pem", "crt"]),
            "A certificate, in PEM, followed by those that lead to a known authority. TCP addresses of listen then speak only "
                + "TLS. Of several, a client gets the one for the name that it asks for, and otherwise the first."
        ),
        Setting(
            "tlsKey",
            each: \.tlsKeys,
            .text("FILE"),
            in: .tls,
            defaultDescription: "none",
            completion: .file(["pem", "key"]),
            "The private key of each tlsCert, in the same order, in PEM and without a passphrase."
        ),
        Setting(
            "tlsClientCa",
            \.tlsClientCA,
            .text("FILE"),
            in: .tls,
            defaultDescription: "none, so that clients aren't asked for certificates",
            completion: .file(["pem", "crt"]),
            "Certificates, in PEM, of the authorities that sign clients' certificates."
        ),
        Setting(
            "tlsClientCert",
            \.tlsClientCert,
            .choice("MODE"),
            in: .tls,
            "Whether clients must show a certificate of tlsClientCa. One that isn't valid is refused in any case."
        ),
        Setting(
            "redirectListen",
            each: \.redirectListen,
            .address,
            in: .tls,
            defaultDescription: "none",
            "Where requests in plain HTTP are redirected to the first address with TLS, such as *:80."
        ),
        Setting(
            "hstsAge",
            \.hstsAge,
            .duration,
            in: .tls,
            "How long browsers shall use only TLS for the host, which each answer over TLS tells them. 0 s tells "
                + "nothing, since a browser can't be told otherwise once TLS is gone."
        ),
    ]
}
