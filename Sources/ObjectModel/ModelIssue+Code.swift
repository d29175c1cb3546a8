// SPDX-License-Identifier: Apache-2.0

// Every kind of finding there is, and how bad findings of it are. docs/model-check.md describes each.

extension ModelIssue {
    /// The kind of a finding. The raw value is its stable name in JSON, such as `relationship.destination`.
    @nonexhaustive
    public enum Code: String, CaseIterable, Hashable, Sendable {
        // Files.

        /// There is nothing at the path.
        case modelNotFound = "model.notFound"
        /// The file or folder can't be read.
        case modelFileSystem = "model.fileSystem"
        /// The text is not well-formed XML or JSON, or the note of the current version can't be read.
        case modelSyntax = "model.syntax"
        /// It can be read but is something else: a model of Xcode 3, another archive, another file.
        case modelNotAModel = "model.notAModel"
        /// The bundle has no version in it, or not the one that is to be the current.
        case modelNoVersion = "model.noVersion"
        /// The model holds what the format has no way to write.
        case modelUnwritable = "model.unwritable"
        /// What would be overwritten is no model, or no picture where one is drawn.
        case modelWouldOverwrite = "model.wouldOverwrite"
        /// Which of several versions is current isn't said; the last is taken.
        case modelCurrent = "model.current"
        /// Something is absent that has to be there: a name, a type, a destination.
        case modelMissing = "model.missing"
        /// A value can't be read as what it is to be; mild where it was read all the same.
        case modelValue = "model.value"
        /// In JSON, a value is of the wrong kind, a string where an array belongs for example.
        case modelType = "model.type"
        /// In JSON, a key isn't known.
        case modelKey = "model.key"
        /// In XML, an element is there twice that there can be one of.
        case modelSecond = "model.second"
        /// In XML, an attribute has no meaning beside the others.
        case modelUnused = "model.unused"
        /// In XML, there is text where none belongs.
        case modelText = "model.text"
        /// In XML, an element or attribute isn't known.
        case modelUnknown = "model.unknown"
        /// In a compiled model, there is something that has no place in a model here.
        case modelLeftOut = "model.leftOut"
        /// In XML, something has a name of old, which is understood.
        case modelName = "model.name"

        // Names.

        /// The name has characters other than letters, digits and `_`, or begins with a digit.
        case entityName = "entity.name"
        /// Xcode wants entity names to begin with a capital letter.
        case entityLowercase = "entity.lowercase"
        /// Two entities have the same name.
        case entityDuplicate = "entity.duplicate"
        /// Two entities differ in case only; mild where they share a table, since SQLite doesn't tell tables apart by case.
        case entityCase = "entity.case"
        /// The name has characters other than letters, digits and `_`, or begins with a digit.
        case propertyName = "property.name"
        /// Xcode wants property names to begin with a small letter.
        case propertyUppercase = "property.uppercase"
        /// Two properties of an entity, or attributes of a composite, have the same name.
        case propertyDuplicate = "property.duplicate"
        /// Two properties of an entity differ in case only.
        case propertyCase = "property.case"
        /// An ancestor has a property of that name already.
        case propertyInherited = "property.inherited"
        /// Every object has something of that name already, such as `description`.
        case propertyReserved = "property.reserved"
        /// Core Data's objects have something of almost that name, such as `deleted`.
        case propertyRisky = "property.risky"
        /// The name is a word of the predicate language, where it is written with `#`.
        case propertyKeyword = "property.keyword"

        // User info.

        /// A key is there twice; the first counts, and JSON can't say both.
        case userInfoDuplicate = "userInfo.duplicate"

        // Inheritance.

        /// The parent is no entity of the model.
        case entityParent = "entity.parent"
        /// The entity is its own ancestor.
        case entityCycle = "entity.cycle"
        /// The entity is abstract and has no subentities, so there can't be any objects of it.
        case entityAbstract = "entity.abstract"

        // Attributes.

        /// The attribute has no type, so it can't be stored.
        case attributeType = "attribute.type"
        /// The default value is not of the attribute's type, or out of its range.
        case attributeDefault = "attribute.default"
        /// The default value breaks the attribute's own rules, so new objects can't be saved as they are.
        case attributeInvalidDefault = "attribute.invalidDefault"
        /// A bound is not of the attribute's type, a length is negative, or the least is above the greatest.
        case attributeBounds = "attribute.bounds"
        /// A bound or a pattern means nothing for the type.
        case attributeValidation = "attribute.validation"
        /// The pattern is no regular expression that can be used.
        case attributeRegularExpression = "attribute.regularExpression"
        /// The transformer unarchives any class, which an attacker can use.
        case attributeTransformer = "attribute.transformer"
        /// Only binary values can be stored externally.
        case attributeExternalStorage = "attribute.externalStorage"
        /// A store can't keep the derivation up to date.
        case derivedForm = "derived.form"
        /// The derivation gives something else than the attribute's type.
        case derivedType = "derived.type"
        /// The attribute is derived, so its default value is never seen.
        case derivedDefault = "derived.default"
        /// The attribute is derived, which is for stored values, and transient.
        case derivedTransient = "derived.transient"

        // Composites.

        /// An attribute is of a composite that the model doesn't have.
        case compositeUnknown = "composite.unknown"
        /// The name has characters other than letters, digits and `_`, or begins with a digit.
        case compositeName = "composite.name"
        /// Two composites have the same name.
        case compositeDuplicate = "composite.duplicate"
        /// The composite contains itself, or one that does.
        case compositeCycle = "composite.cycle"
        /// The composite has no attributes.
        case compositeEmpty = "composite.empty"
        /// An attribute of a composite is derived or transient, which it can't be.
        case compositeContent = "composite.content"

        // Relationships.

        /// The destination is missing, or no entity of the model.
        case relationshipDestination = "relationship.destination"
        /// There is no inverse, so objects that are deleted stay behind in the relationship.
        case relationshipInverse = "relationship.inverse"
        /// The destination has no relationship of the inverse's name.
        case relationshipInverseUnknown = "relationship.inverseUnknown"
        /// The inverse leads to another entity.
        case relationshipInverseDestination = "relationship.inverseDestination"
        /// The inverse has another inverse, or none.
        case relationshipInverseMutual = "relationship.inverseMutual"
        /// A count is negative, more than one for a to-one relationship, or the least is above the greatest.
        case relationshipCount = "relationship.count"
        /// The relationship is ordered, which means nothing for a single object.
        case relationshipOrdered = "relationship.ordered"
        /// The delete rule clears an inverse that must have a value, so such objects can't be deleted.
        case relationshipRequiredInverse = "relationship.requiredInverse"
        /// Deleting an object leaves the other side pointing to nothing; mild where nothing that is stored does.
        case relationshipNoAction = "relationship.noAction"

        // Indexes and constraints.

        /// An index is over a property that the entity doesn't have.
        case indexUnknown = "index.unknown"
        /// An index is over something that is not in the entity's own rows, such as a transient attribute; stores don't make it.
        case indexProperty = "index.property"
        /// Two indexes of an entity have the same name.
        case indexDuplicate = "index.duplicate"
        /// An index is over nothing.
        case indexEmpty = "index.empty"
        /// An R-tree is over something else than numbers or dates.
        case indexRTree = "index.rTree"
        /// A uniqueness constraint is over a property that the entity doesn't have.
        case constraintUnknown = "constraint.unknown"
        /// A uniqueness constraint is over something that is not in the entity's own rows.
        case constraintProperty = "constraint.property"
        /// An ancestor has the same uniqueness constraint.
        case constraintInherited = "constraint.inherited"
        /// The same uniqueness constraint is there twice.
        case constraintDuplicate = "constraint.duplicate"
        /// A uniqueness constraint is over nothing.
        case constraintEmpty = "constraint.empty"

        // Configurations and fetch requests.

        /// A configuration has an entity that the model doesn't have.
        case configurationUnknown = "configuration.unknown"
        /// Two configurations have the same name.
        case configurationDuplicate = "configuration.duplicate"
        /// A configuration has an entity twice.
        case configurationMember = "configuration.member"
        /// A relationship leads to an entity with which its own shares no configuration.
        case configurationCrossing = "configuration.crossing"
        /// A fetch request or fetched property is of no entity, or of one that the model doesn't have.
        case requestEntity = "request.entity"
        /// Two fetch request templates have the same name.
        case requestDuplicate = "request.duplicate"

        // Predicates.

        /// The text is no predicate or expression.
        case predicateSyntax = "predicate.syntax"
        /// It is nested more deeply than can be checked.
        case predicateDepth = "predicate.depth"
        /// The entity or composite has no such property.
        case predicateKey = "predicate.key"
        /// The key path goes on after a value that has no properties.
        case predicatePath = "predicate.path"
        /// Nothing gives that variable a value here.
        case predicateVariable = "predicate.variable"
        /// A to-many key path gives many values where one is compared.
        case predicateToMany = "predicate.toMany"
        /// An operator such as `@count`, `SUBQUERY`, or an index is applied to something that is no collection.
        case predicateCollection = "predicate.collection"
        /// A function or an operator such as `@sum` is applied to something of the wrong type.
        case predicateOperand = "predicate.operand"
        /// The comparison operator doesn't fit the type; mild where it is merely never true.
        case predicateOperator = "predicate.operator"
        /// `BETWEEN` needs a list of two bounds.
        case predicateBetween = "predicate.between"
        /// What follows `MATCHES` is no regular expression that can be used.
        case predicateRegularExpression = "predicate.regularExpression"
        /// A store can't look into a fetched property.
        case predicateFetchedProperty = "predicate.fetchedProperty"
        /// A store can't look for a transient attribute.
        case predicateTransient = "predicate.transient"
        /// Values of types are compared that are never equal.
        case predicateType = "predicate.type"
        /// A number is compared that no value of the attribute's type can be, since it is out of its range.
        case predicateRange = "predicate.range"
        /// `ANY` or `ALL` stands before a single value, where it has no effect.
        case predicateModifier = "predicate.modifier"

        // Migration.

        /// Several entities or properties claim to be what one was.
        case migrationAmbiguous = "migration.ambiguous"
        /// An entity joins a hierarchy with which it had no ancestor in common.
        case migrationHierarchy = "migration.hierarchy"
        /// An attribute becomes a relationship, or the like.
        case migrationKind = "migration.kind"
        /// An attribute's type changes.
        case migrationType = "migration.type"
        /// Objects have no value for an attribute that needs one.
        case migrationRequired = "migration.required"
        /// All objects of an entity are deleted.
        case migrationLossEntity = "migration.loss.entity"
        /// The values of an attribute are lost.
        case migrationLossAttribute = "migration.loss.attribute"
        /// What a relationship leads to is lost.
        case migrationLossRelationship = "migration.loss.relationship"
        /// Of several objects only one is kept.
        case migrationLossCardinality = "migration.loss.cardinality"
        /// Objects that are not of the new destination are dropped.
        case migrationLossDestination = "migration.loss.destination"
        /// Objects have nothing in a relationship that needs something, and can't be changed until they do.
        case migrationRelationship = "migration.relationship"
        /// An entity becomes abstract; objects that are of no subentity stay behind.
        case migrationAbstract = "migration.abstract"
        /// Objects that agree in the properties of a new uniqueness constraint are in its way.
        case migrationUnique = "migration.unique"
        /// Existing values stay as the old transformer wrote them.
        case migrationTransformer = "migration.transformer"
    }
}

extension ModelIssue.Code {
    /// How bad a finding of this kind is.
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

    /// How bad it is in mild cases, where there are such: a value that was read all the same, for example.
    public var mildSeverity: ModelIssue.Severity {
        switch self {
        case .modelValue, .entityCase, .predicateOperator: .warning
        case .relationshipNoAction: .note
        default: severity
        }
    }
}
