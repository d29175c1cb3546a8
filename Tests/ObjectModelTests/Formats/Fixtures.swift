// SPDX-License-Identifier: Apache-2.0

// Functions to read and write models in tests, and one model that uses every feature of both formats.

import FoundationEssentials
import ObjectModel
import Testing

/// Reads the elements in a model's XML.
func read(contents elements: String) throws -> ModelVersion {
    try ModelVersion(contents: Array("<model>\(elements)</model>".utf8))
}

func read(json text: String) throws -> ModelVersion {
    try ModelFile(json: Array(text.utf8)).current
}

/// Reads one attribute of an entity, given its XML attributes.
func read(attribute xml: String) throws -> (attribute: Attribute, issues: [ModelIssue]) {
    let version = try read(contents: "<entity name='E' syncable='YES'><attribute name='a' \(xml)/></entity>")
    return (try #require(version.model.entities.first?.attributes.first), version.issues)
}

/// Reads one attribute of an entity, given its JSON value.
func read(jsonAttribute json: String) throws -> (attribute: Attribute, issues: [ModelIssue]) {
    let version = try read(json: #"{"entities": {"E": {"attributes": {"a": \#(json)}}}}"#)
    return (try #require(version.model.entities.first?.attributes.first), version.issues)
}

func read(jsonRelationship json: String) throws -> (relationship: Relationship, issues: [ModelIssue]) {
    let version = try read(json: #"{"entities": {"E": {"relationships": {"r": \#(json)}}}}"#)
    return (try #require(version.model.entities.first?.relationships.first), version.issues)
}

extension Model {
    func contentsText() throws -> String { String(decoding: try contents(), as: UTF8.self) }

    func jsonText() throws -> String { String(decoding: try json(), as: UTF8.self) }
}

/// Calls a closure with a temporary directory, which is removed afterwards.
func withTemporaryDirectory(_ body: (String) throws -> Void) throws {
    let path = FileManager.default.temporaryDirectory.path + "/outcrop-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    try body(path)
}

/// A model with every feature, as Xcode would write it.
let everything = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="22522" \
    systemVersion="23B81" minimumToolsVersion="Automatic" sourceLanguage="Swift" usedWithCloudKit="NO" \
    userDefinedModelVersionIdentifier="1.2">
        <entity name="Thing" representedClassName=".Thing" isAbstract="YES" syncable="YES" codeGenerationType="class">
            <attribute name="id" attributeType="UUID" \
    defaultValueString="00000000-0000-0000-0000-00000000000A" usesScalarValueType="NO"/>
            <userInfo>
                <entry key="a" value="1"/>
                <entry key="b" value="&lt;two&gt;"/>
            </userInfo>
        </entity>
        <entity name="Post" representedClassName="Post" parentEntity="Thing" elementID="Article" \
    versionHashModifier="v2" syncable="YES">
            <attribute name="count" optional="YES" attributeType="Integer 64" derived="YES" \
    derivationExpression="tags.@count" usesScalarValueType="YES"/>
            <attribute name="created" attributeType="Date" minDateTimeInterval="-1" maxDateTimeInterval="1000000000.5" \
    defaultDateTimeInterval="631123200" usesScalarValueType="NO"/>
            <attribute name="draft" attributeType="Boolean" defaultValueString="YES" usesScalarValueType="YES"/>
            <attribute name="image" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
            <attribute name="kept" optional="YES" attributeType="String" elementID="old" preserveAfterDeletion="YES"/>
            <attribute name="note" optional="YES" transient="YES">
                <userInfo>
                    <entry key="why" value=""/>
                </userInfo>
            </attribute>
            <attribute name="place" optional="YES" attributeType="Composite" composite="Location"/>
            <attribute name="price" attributeType="Decimal" minValueString="0.0" maxValueString="99.99" \
    defaultValueString="12345678901234567890.12"/>
            <attribute name="rank" attributeType="Integer 16" minValueString="-5" maxValueString="5" \
    defaultValueString="0" usesScalarValueType="YES" indexed="YES" versionHashModifier="r"/>
            <attribute name="tint" optional="YES" attributeType="Transformable" valueTransformerName="Tints" \
    customClassName="Tint"/>
            <attribute name="title" attributeType="String" minValueString="1" maxValueString="80" \
    defaultValueString="" regularExpressionString="[^&quot;]+" spotlightIndexingEnabled="YES"/>
            <attribute name="weight" attributeType="Double" defaultValueString="0.5" usesScalarValueType="YES"/>
            <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="User" \
    inverseName="posts" inverseEntity="User"/>
            <relationship name="next" maxCount="1" deletionRule="No Action" destinationEntity="Post"/>
            <relationship name="tags" optional="YES" toMany="YES" minCount="1" maxCount="20" deletionRule="Cascade" \
    ordered="YES" destinationEntity="Thing" elementID="labels" versionHashModifier="t" syncable="YES">
                <userInfo>
                    <entry key="k" value="v"/>
                </userInfo>
            </relationship>
            <fetchedProperty name="recent" optional="YES">
                <fetchRequest name="fetchedPropertyFetchRequest" entity="Post" predicateString="SELF != $FETCH_SOURCE"/>
            </fetchedProperty>
            <fetchIndex name="byDate" partialIndexPredicate="draft == NO">
                <fetchIndexElement property="created" type="Binary" order="descending"/>
                <fetchIndexElement property="title" type="Binary" order="ascending"/>
            </fetchIndex>
            <fetchIndex name="byPlace">
                <fetchIndexElement property="rank" type="RTree" order="ascending"/>
                <fetchIndexElement expression="lowercase:(title)" expressionType="String" type="Binary" \
    order="ascending"/>
            </fetchIndex>
            <compoundIndexes>
                <compoundIndex>
                    <index value="title"/>
                    <index value="rank"/>
                </compoundIndex>
            </compoundIndexes>
            <uniquenessConstraints>
                <uniquenessConstraint>
                    <constraint value="id"/>
                </uniquenessConstraint>
                <uniquenessConstraint>
                    <constraint value="title"/>
                    <constraint value="created"/>
                </uniquenessConstraint>
            </uniquenessConstraints>
        </entity>
        <entity name="User" syncable="YES">
            <relationship name="posts" toMany="YES" deletionRule="Deny" destinationEntity="Post" inverseName="author" \
    inverseEntity="Post"/>
        </entity>
        <fetchRequest name="all" entity="Post" predicateString="title == $TITLE" resultType="2" fetchLimit="10" \
    fetchBatchSize="5" includeSubentities="YES" includePropertyValues="NO" includesPendingChanges="YES" \
    returnObjectsAsFaults="NO" returnDistinctResults="YES"/>
        <configuration name="Cloud" usedWithCloudKit="YES">
            <memberEntity name="Post"/>
            <memberEntity name="User"/>
        </configuration>
        <composite name="Location">
            <attribute name="latitude" attributeType="Double" defaultValueString="0.0"/>
        </composite>
        <elements>
            <element name="Post" positionX="-63" positionY="-18" width="128" height="44"/>
        </elements>
    </model>
    """
