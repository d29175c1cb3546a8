// SPDX-License-Identifier: Apache-2.0

// Fields of answers that keep browsers from taking them for more than they are.

import HTTPMessage

extension FieldName {
    static let contentDisposition: FieldName = "Content-Disposition"
    static let contentSecurityPolicy: FieldName = "Content-Security-Policy"
    static let contentTypeOptions: FieldName = "X-Content-Type-Options"
    static let crossOriginResourcePolicy: FieldName = "Cross-Origin-Resource-Policy"
    static let referrerPolicy: FieldName = "Referrer-Policy"
}
