// SPDX-License-Identifier: Apache-2.0

// Field names of responses and of repeated requests.

import HTTPMessage

extension FieldName {
    static let acceptModel: FieldName = "Accept-Model"
    static let contentDisposition: FieldName = "Content-Disposition"
    static let contentSecurityPolicy: FieldName = "Content-Security-Policy"
    static let contentTypeOptions: FieldName = "X-Content-Type-Options"
    static let crossOriginResourcePolicy: FieldName = "Cross-Origin-Resource-Policy"
    static let idempotencyKey: FieldName = "Idempotency-Key"
    static let idempotencyReplayed: FieldName = "Idempotency-Replayed"
    static let modelVersion: FieldName = "Model-Version"
    static let referrerPolicy: FieldName = "Referrer-Policy"
}
