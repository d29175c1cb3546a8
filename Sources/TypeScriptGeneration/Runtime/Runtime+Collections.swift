// SPDX-License-Identifier: Apache-2.0

// The types of an entity's objects as a collection, and of relationships.

extension Runtime {
    static let collections = #"""
        // ----- Collections -----

        /** The objects of an entity. */
        export interface EntityCollection<E extends EntityName, M extends ObjectMode = "stored"> {
          readonly entity: E;

          // Reading

          /** A page of objects. */
          fetch<S extends SelectableKey<E, M> = never, I extends ObjectInclude<E, M> = {}>(
            query?: ObjectQuery<E, S, I, M>,
          ): Promise<ResultPage<ObjectResult<E, S, I, M>>>;

          /** Page by page: `for await (const page of posts.pages())`. */
          pages<S extends SelectableKey<E, M> = never, I extends ObjectInclude<E, M> = {}>(
            query?: ObjectQuery<E, S, I, M>,
          ): AsyncGenerator<ResultPage<ObjectResult<E, S, I, M>>, void, undefined>;

          /** Object by object, over all pages: `for await (const post of posts.each())`. */
          each<S extends SelectableKey<E, M> = never, I extends ObjectInclude<E, M> = {}>(
            query?: ObjectQuery<E, S, I, M>,
          ): AsyncGenerator<ObjectResult<E, S, I, M>, void, undefined>;

          /** The first object, or null. */
          first<S extends SelectableKey<E, M> = never, I extends ObjectInclude<E, M> = {}>(
            query?: ObjectQuery<E, S, I, M>,
          ): Promise<ObjectResult<E, S, I, M> | null>;

          /** The number of objects. */
          count(query?: ObjectSelection<E>): Promise<number>;

          /** A page of references. */
          references(query?: ListQuery<E>): Promise<ResultPage<ObjectReference<E>>>;

          /** A page of rows of values: of objects, or of groups with aggregates. */
          table<G extends ValuePath<E> = never, A extends AggregateColumns<E> = {}>(
            query: TableQuery<E, G, A>,
          ): Promise<ResultPage<TableRow<E, G, A>>>;

          /** An object, also as it was at a position of the history. Throws “not-found” if there is none. */
          get<S extends SelectableKey<E, M> = never, I extends ObjectInclude<E, M> = {}>(
            target: ObjectTarget<E>,
            options?: ReadOptions<E, S, I, M> & { readonly asOf?: string },
          ): Promise<ObjectResult<E, S, I, M>>;

          /** An object, or null if there is none. */
          find<S extends SelectableKey<E, M> = never, I extends ObjectInclude<E, M> = {}>(
            target: ObjectTarget<E>,
            options?: ReadOptions<E, S, I, M>,
          ): Promise<ObjectResult<E, S, I, M> | null>;

          /** The list as it is, and again after each change of it. */
          live<S extends SelectableKey<E, M> = never, I extends ObjectInclude<E, M> = {}>(
            query?: LiveQuery<E, S, I, M>,
          ): AsyncGenerator<LiveList<ObjectResult<E, S, I, M>>, void, undefined>;

          /** The number of objects as it is, and again after each change of it. */
          liveCount(query?: ObjectSelection<E>): AsyncGenerator<number, void, undefined>;

          /** The rows as they are, and again after each change of them. */
          liveTable<G extends ValuePath<E> = never, A extends AggregateColumns<E> = {}>(
            query: TableQuery<E, G, A>,
          ): AsyncGenerator<TableRow<E, G, A>[], void, undefined>;

          /** The history of an object. */
          history(target: ObjectTarget<E>, query?: ObjectHistoryQuery): Promise<HistoryPage>;

          // Writing

          /** Creates an object, with new related objects in the same save. */
          create(values: NewObject<E, M>, options?: WriteOptions): Promise<EntityObject<E, M> & WrittenChanges>;

          /** Creates several objects in one save. */
          createAll(values: readonly NewObject<E, M>[], options?: WriteOptions): Promise<EntityObject<E, M>[]>;

          /** Creates an object, or changes the one that has its unique values. */
          upsert(values: Partial<NewObject<E, M>>, options?: WriteOptions): Promise<EntityObject<E, M> & WrittenChanges>;

          /** Changes the values that are given. */
          update(
            target: ObjectTarget<E>,
            changes: ObjectUpdate<E, M>,
            options?: WriteOptions,
          ): Promise<EntityObject<E, M> & WrittenChanges>;

          /** Sets all values: those that aren't given get their defaults. */
          replace(
            target: ObjectTarget<E>,
            values: TransactionObject<E, M>,
            options?: WriteOptions,
          ): Promise<EntityObject<E, M> & WrittenChanges>;

          /** Deletes an object, by the model's delete rules. */
          delete(target: ObjectTarget<E>, options?: Omit<WriteOptions, "dryRun">): Promise<void>;

          /** What a deletion would delete and change. */
          previewDelete(target: ObjectTarget<E>, options?: WriteOptions): Promise<DeletionPreview>;

          // Parts of an object

          /** The members of a to-many relationship. */
          members<R extends ToManyKey<E>>(target: ObjectTarget<E>, name: R): ObjectMembers<DestinationName<E, R>, M>;

          /** The object of a to-one relationship. */
          related<R extends ToOneKey<E>>(target: ObjectTarget<E>, name: R): RelatedLink<DestinationName<E, R>, M>;

          /** A page of the objects that a fetched property finds. */
          fetched<R extends FetchedKey<E>>(
            target: ObjectTarget<E>,
            name: R,
            query?: ListQuery<DestinationName<E, R>>,
          ): Promise<ResultPage<EntityObject<DestinationName<E, R>, M>>>;

          /** The bytes of a binary attribute. */
          bytes(target: ObjectTarget<E>, name: BytesKey<E>): BytesAttribute;

          // Batches, which go straight to the store

          /** Inserts rows: attributes, and references to other objects. */
          batchInsert(rows: Iterable<BatchRow<E>>, options?: BatchInsertOptions): Promise<BatchResult<E>>;

          /** Changes all objects that a condition selects. */
          batchUpdate(
            objects: { readonly where: ObjectCondition<E> } | { readonly all: true },
            set: BatchAssignments<E>,
            options?: BatchOptions,
          ): Promise<BatchResult<E>>;

          /** Deletes all objects that a condition selects, by the model's delete rules. */
          batchDelete(
            objects:
              | { readonly where: ObjectCondition<E> }
              | { readonly ids: readonly ObjectReference<E>[] }
              | { readonly all: true },
            options?: BatchOptions,
          ): Promise<BatchResult<E>>;
        }

        export interface BatchOptions extends RequestOptions {
          /** Refuses a batch that would affect more objects. */
          readonly max?: number;
          /** Whether the answer has the references of all affected objects. */
          readonly result?: "count" | "ids";
          /** Answers what it would affect, and changes nothing. */
          readonly dryRun?: boolean;
          /** Refuses a batch from which access rules would leave out objects. */
          readonly strict?: boolean;
          readonly author?: string;
          readonly idempotencyKey?: string;
        }

        export interface BatchInsertOptions extends Omit<BatchOptions, "strict"> {
          /** Commits each time that this many rows were inserted. */
          readonly chunk?: number;
          /** Keeps the numbers in `_id` that were never given to an object. */
          readonly keepIds?: boolean;
          readonly merge?: MergePolicy;
        }

        export interface BatchResult<E extends EntityName> {
          readonly count: number;
          readonly ids?: readonly ObjectReference<E>[];
          /** The number of drafts and live lists that were notified. */
          readonly merged: number;
        }

        /** The members of a to-many relationship of one object. */
        export interface ObjectMembers<E extends EntityName, M extends ObjectMode = "stored"> {
          /** A page of members. */
          fetch<S extends SelectableKey<E, M> = never, I extends ObjectInclude<E, M> = {}>(
            query?: ObjectQuery<E, S, I, M>,
          ): Promise<ResultPage<ObjectResult<E, S, I, M>>>;

          /** Member by member, over all pages. */
          each<S extends SelectableKey<E, M> = never, I extends ObjectInclude<E, M> = {}>(
            query?: ObjectQuery<E, S, I, M>,
          ): AsyncGenerator<ObjectResult<E, S, I, M>, void, undefined>;

          count(query?: ObjectSelection<E>): Promise<number>;

          /** A page of references. */
          references(query?: ListQuery<E>): Promise<ResultPage<ObjectReference<E>>>;

          /** Sets all members, in their order. */
          set(members: readonly RelatedObject<E>[], options?: WriteOptions): Promise<void>;

          /** Adds existing objects. */
          add(
            members: readonly (ObjectReference<E> | { readonly _id: ObjectReference<E> })[],
            options?: WriteOptions,
          ): Promise<void>;

          /** Creates an object that is a member. */
          create(values: NewMember<E, M>, options?: WriteOptions): Promise<EntityObject<E, M> & WrittenChanges>;

          /** Adds a member that isn't one yet; in an ordered relationship also at a place, or moves it there. */
          place(member: ObjectTarget<E>, at?: number, options?: WriteOptions): Promise<void>;

          /** Removes a member. The object itself stays. */
          remove(member: ObjectTarget<E>, options?: WriteOptions): Promise<void>;
        }

        /** The object of a to-one relationship of one object. */
        export interface RelatedLink<E extends EntityName, M extends ObjectMode = "stored"> {
          /** The object, or null. */
          get<S extends SelectableKey<E, M> = never, I extends ObjectInclude<E, M> = {}>(
            options?: ReadOptions<E, S, I, M>,
          ): Promise<ObjectResult<E, S, I, M> | null>;

          set(object: RelatedObject<E> | null, options?: WriteOptions): Promise<void>;
        }
        """#
}
