// SPDX-License-Identifier: Apache-2.0

// Fields that keep browsers from taking answers for more than they are, and those of requests that come again.

import HTTPMessage

extension FieldName {
    static let contentDisposition: FieldName = "Content-Disposition"
    static let contentSecurityPolicy: FieldName = "Content-Security-Policy"
    static let contentTypeOptions: FieldName = "X-Content-Type-Options"
    static let crossOriginResourcePolicy: FieldName = "Cross-Origin-Resource-Policy"
    static let idempotencyKey: FieldName = "Idempotency-Key"
    static let idempotencyReplayed: FieldName = "Idempotency-Replayed"
    static let referrerPolicy: FieldName = "Referrer-Policy"
}
