// SPDX-License-Identifier: Apache-2.0

// The kinds of findings and their severities. docs/model-check.md describes each.

extension ModelIssue {
    /// The kind of a finding. The raw value is its stable name in JSON, such as `relationship.destination`.
    @nonexhaustive
    public enum Code: String, CaseIterable, Hashable, Sendable {
        // Files.

        /// The path doesn't exist.
        case modelNotFound = "model.notFound"
        /// The file or folder can't be read.
        case modelFileSystem = "model.fileSystem"
        /// The text is not well-formed XML or JSON, or the file that names the current version can't be read.
        case modelSyntax = "model.syntax"
        /// The file is something else: a model of Xcode 3, another archive, another format.
        case modelNotAModel = "model.notAModel"
        /// The bundle has no version, or lacks the one it names as current.
        case modelNoVersion = "model.noVersion"
        /// The model has content that the format can't express.
        case modelUnwritable = "model.unwritable"
        /// The file to be overwritten is not a model, or not a picture when drawing one.
        case modelWouldOverwrite = "model.wouldOverwrite"
        /// The rules of a migration can't be used.
        case modelMapping = "model.mapping"
        /// The source doesn't say which version is current; the last one is used.
        case modelCurrent = "model.current"
        /// A required part is missing: a name, a type, a destination.
        case modelMissing = "model.missing"
        /// A value can't be read; mild if it could be interpreted anyway.
        case modelValue = "model.value"
        /// A JSON value has the wrong kind, such as a string in place of an array.
        case modelType = "model.type"
        /// An unknown JSON key.
        case modelKey = "model.key"
        /// An XML element appears twice where only one is allowed.
        case modelSecond = "model.second"
        /// An XML attribute has no effect beside the others.
        case modelUnused = "model.unused"
        /// XML text in a place that allows none.
        case modelText = "model.text"
        /// An unknown XML element or attribute.
        case modelUnknown = "model.unknown"
        /// A compiled model has content that models here can't express.
        case modelLeftOut = "model.leftOut"
        /// An obsolete name in XML, which is still understood.
        case modelName = "model.name"

        // Names.

        /// The name has characters other than letters, digits and `_`, or begins with a digit.
        case entityName = "entity.name"
        /// Xcode requires entity names to begin with a capital letter.
        case entityLowercase = "entity.lowercase"
        /// Two entities have the same name.
        case entityDuplicate = "entity.duplicate"
        /// Two entities differ only in case; mild if they share a table, since SQLite's table names ignore case.
        case entityCase = "entity.case"
        /// The name has characters other than letters, digits and `_`, or begins with a digit.
        case propertyName = "property.name"
        /// Xcode requires property names to begin with a lowercase letter.
        case propertyUppercase = "property.uppercase"
        /// Two properties of an entity, or attributes of a composite, have the same name.
        case propertyDuplicate = "property.duplicate"
        /// Two properties of an entity differ only in case.
        case propertyCase = "property.case"
        /// An ancestor declares a property of the same name.
        case propertyInherited = "property.inherited"
        /// The name is taken by a member of every object, such as `description`.
        case propertyReserved = "property.reserved"
        /// The name is close to that of a member of Core Data's objects, such as `deleted`.
        case propertyRisky = "property.risky"
        /// The name is a keyword of the predicate language, so predicates must write it with `#`.
        case propertyKeyword = "property.keyword"

        // User info.

        /// A key is repeated; the first entry counts, and JSON can't express the others.
        case userInfoDuplicate = "userInfo.duplicate"

        // Inheritance.

        /// The model has no entity of the parent's name.
        case entityParent = "entity.parent"
        /// The entity is its own ancestor.
        case entityCycle = "entity.cycle"
        /// The entity is abstract and has no subentities, so no objects of it can exist.
        case entityAbstract = "entity.abstract"

        // Attributes.

        /// The attribute has no type, so it can't be stored.
        case attributeType = "attribute.type"
        /// The default value has the wrong type or is out of the type's range.
        case attributeDefault = "attribute.default"
        /// The default value violates the attribute's validation, so new objects can't be saved unchanged.
        case attributeInvalidDefault = "attribute.invalidDefault"
        /// A bound has the wrong type, a length is negative, or the minimum exceeds the maximum.
        case attributeBounds = "attribute.bounds"
        /// A bound or a pattern has no meaning for the type.
        case attributeValidation = "attribute.validation"
        /// The pattern is not a supported regular expression.
        case attributeRegularExpression = "attribute.regularExpression"
        /// The transformer unarchives any class, which an attacker can exploit.
        case attributeTransformer = "attribute.transformer"
        /// Only binary values can be stored externally.
        case attributeExternalStorage = "attribute.externalStorage"
        /// A store can't maintain the derivation.
        case derivedForm = "derived.form"
        /// The derivation's result doesn't have the attribute's type.
        case derivedType = "derived.type"
        /// The attribute is derived, so its default value has no effect.
        case derivedDefault = "derived.default"
        /// The attribute is both derived and transient, but derived values are stored.
        case derivedTransient = "derived.transient"

        // Composites.

        /// The model has no composite of the attribute's type.
        case compositeUnknown = "composite.unknown"
        /// The name has characters other than letters, digits and `_`, or begins with a digit.
        case compositeName = "composite.name"
        /// Two composites have the same name.
        case compositeDuplicate = "composite.duplicate"
        /// The composite contains itself, directly or through another.
        case compositeCycle = "composite.cycle"
        /// The composite has no attributes.
        case compositeEmpty = "composite.empty"
        /// An attribute of a composite is derived or transient, which isn't allowed.
        case compositeContent = "composite.content"

        // Relationships.

        /// The destination is missing, or not an entity of the model.
        case relationshipDestination = "relationship.destination"
        /// The relationship has no inverse, so deleted objects stay in it.
        case relationshipInverse = "relationship.inverse"
        /// The destination has no relationship of the inverse's name.
        case relationshipInverseUnknown = "relationship.inverseUnknown"
        /// The inverse's destination is another entity.
        case relationshipInverseDestination = "relationship.inverseDestination"
        /// The inverse names another inverse, or none.
        case relationshipInverseMutual = "relationship.inverseMutual"
        /// A count is negative, exceeds one for a to-one relationship, or the minimum exceeds the maximum.
        case relationshipCount = "relationship.count"
        /// The relationship is ordered, which has no effect on a to-one relationship.
        case relationshipOrdered = "relationship.ordered"
        /// The delete rule clears a required inverse, so the objects can't be deleted.
        case relationshipRequiredInverse = "relationship.requiredInverse"
        /// Deleting an object leaves a dangling reference; mild if the reference isn't stored.
        case relationshipNoAction = "relationship.noAction"

        // Indexes and constraints.

        /// An index names a property that the entity doesn't have.
        case indexUnknown = "index.unknown"
        /// An index covers a value outside the entity's own rows, such as a transient attribute; stores don't create
        /// it.
        case indexProperty = "index.property"
        /// Two indexes of an entity have the same name.
        case indexDuplicate = "index.duplicate"
        /// An index has no elements.
        case indexEmpty = "index.empty"
        /// An R-tree covers something other than numbers or dates.
        case indexRTree = "index.rTree"
        /// A uniqueness constraint names a property that the entity doesn't have.
        case constraintUnknown = "constraint.unknown"
        /// A uniqueness constraint covers a value outside the entity's own rows.
        case constraintProperty = "constraint.property"
        /// An ancestor has the same uniqueness constraint.
        case constraintInherited = "constraint.inherited"
        /// A uniqueness constraint is repeated.
        case constraintDuplicate = "constraint.duplicate"
        /// A uniqueness constraint has no properties.
        case constraintEmpty = "constraint.empty"

        // Configurations and fetch requests.

        /// A configuration names an entity that the model doesn't have.
        case configurationUnknown = "configuration.unknown"
        /// Two configurations have the same name.
        case configurationDuplicate = "configuration.duplicate"
        /// A configuration lists an entity twice.
        case configurationMember = "configuration.member"
        /// A relationship's source and destination share no configuration.
        case configurationCrossing = "configuration.crossing"
        /// A fetch request or fetched property has no entity, or one that the model doesn't have.
        case requestEntity = "request.entity"
        /// Two fetch request templates have the same name.
        case requestDuplicate = "request.duplicate"

        // Predicates.

        /// The text is not a predicate or expression.
        case predicateSyntax = "predicate.syntax"
        /// The predicate is nested too deeply to be checked.
        case predicateDepth = "predicate.depth"
        /// The entity or composite has no such property.
        case predicateKey = "predicate.key"
        /// The key path continues after a value that has no properties.
        case predicatePath = "predicate.path"
        /// The variable has no value here.
        case predicateVariable = "predicate.variable"
        /// A to-many key path yields many values where a single one is compared.
        case predicateToMany = "predicate.toMany"
        /// `SUBQUERY`, an index, or an operator such as `@count` is applied to something other than a collection.
        case predicateCollection = "predicate.collection"
        /// A function or an operator such as `@sum` is applied to the wrong type.
        case predicateOperand = "predicate.operand"
        /// The comparison operator doesn't fit the type; mild if the comparison is merely never true.
        case predicateOperator = "predicate.operator"
        /// `BETWEEN` requires a list of two bounds.
        case predicateBetween = "predicate.between"
        /// The right side of `MATCHES` is not a supported regular expression.
        case predicateRegularExpression = "predicate.regularExpression"
        /// A store can't query a fetched property.
        case predicateFetchedProperty = "predicate.fetchedProperty"
        /// A store can't query a transient attribute.
        case predicateTransient = "predicate.transient"
        /// The compared types have no equal values.
        case predicateType = "predicate.type"
        /// The compared number is out of the range of the attribute's type.
        case predicateRange = "predicate.range"
        /// `ANY` or `ALL` is applied to a single value, where it has no effect.
        case predicateModifier = "predicate.modifier"

        // Migration.

        /// Several entities or properties claim the same predecessor.
        case migrationAmbiguous = "migration.ambiguous"
        /// A rule of a migration can't be executed.
        case migrationRule = "migration.rule"
        /// An entity joins a hierarchy with which it shared no ancestor.
        case migrationHierarchy = "migration.hierarchy"
        /// A property changes its kind, such as an attribute that becomes a relationship.
        case migrationKind = "migration.kind"
        /// An attribute's type changes.
        case migrationType = "migration.type"
        /// Existing objects have no value for a required attribute.
        case migrationRequired = "migration.required"
        /// All objects of an entity are deleted.
        case migrationLossEntity = "migration.loss.entity"
        /// The values of an attribute are lost.
        case migrationLossAttribute = "migration.loss.attribute"
        /// The contents of a relationship are lost.
        case migrationLossRelationship = "migration.loss.relationship"
        /// Only one of several objects is kept.
        case migrationLossCardinality = "migration.loss.cardinality"
        /// Objects that don't belong to the new destination are dropped.
        case migrationLossDestination = "migration.loss.destination"
        /// A required relationship is empty in existing objects. If it is to-one, they can't be changed until it is set.
        case migrationRelationship = "migration.relationship"
        /// An entity becomes abstract; its direct objects stay behind.
        case migrationAbstract = "migration.abstract"
        /// Objects with equal values violate a new uniqueness constraint.
        case migrationUnique = "migration.unique"
        /// Existing values stay encoded by the old transformer.
        case migrationTransformer = "migration.transformer"
    }
}

extension ModelIssue.Code {
    /// The usual severity of findings of this kind.
    public var severity: ModelIssue.Severity {
        switch self {
        case .modelCurrent, .modelUnused, .modelText, .modelLeftOut, .entityLowercase, .propertyUppercase,
            .propertyCase,
            .propertyRisky, .entityAbstract, .attributeInvalidDefault, .attributeValidation,
            .attributeTransformer, .attributeExternalStorage, .derivedType, .derivedDefault,
            .compositeEmpty, .relationshipInverse, .relationshipOrdered,
            .relationshipRequiredInverse, .indexEmpty, .indexRTree, .constraintDuplicate,
            .constraintEmpty, .indexProperty, .configurationMember, .configurationCrossing, .predicateTransient,
            .predicateType, .predicateRange, .migrationLossEntity, .migrationLossAttribute,
            .migrationLossRelationship, .migrationLossCardinality, .migrationLossDestination,
            .relationshipNoAction, .userInfoDuplicate:
            .warning
        case .modelUnknown, .modelName, .propertyKeyword, .predicateModifier, .migrationRelationship,
            .migrationAbstract, .migrationUnique, .migrationTransformer:
            .note
        default: .error
        }
    }

    /// The severity of a mild case, such as a value that could be interpreted anyway; otherwise `severity`.
    public var mildSeverity: ModelIssue.Severity {
        switch self {
        case .modelValue, .entityCase, .predicateOperator: .warning
        case .relationshipNoAction: .note
        default: severity
        }
    }
}
