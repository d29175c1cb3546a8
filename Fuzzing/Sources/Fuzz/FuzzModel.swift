// SPDX-License-Identifier: Apache-2.0

// Model files: what is read must be written and read back as the same model, and no check may fail on it.

import Outcrop

func fuzzXMLModel(_ bytes: [UInt8]) -> CInt {
    guard let model = try? ModelVersion(contents: bytes).model else { return 0 }
    if let written = try? model.contents() {
        let again = try? ModelVersion(contents: written).model
        precondition(again == model, "A model came back from its XML as another.")
    }
    return use(model)
}

func fuzzJSONModel(_ bytes: [UInt8]) -> CInt {
    guard let model = try? ModelFile(json: bytes).current.model else { return 0 }
    if let written = try? model.json() {
        let again = try? ModelFile(json: written).current.model
        precondition(again == model, "A model came back from its JSON as another.")
    }
    return use(model)
}

func use(_ model: Model) -> CInt {
    for issue in model.issues() { precondition(!issue.message.isEmpty) }
    precondition(ModelDiff(from: model, to: model).isEmpty, "A model differs from itself.")
    _ = model.versionChecksum
    return 0
}
