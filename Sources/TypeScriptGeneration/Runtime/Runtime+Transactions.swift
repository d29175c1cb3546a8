// SPDX-License-Identifier: Apache-2.0

// Several operations in one save.

extension Runtime {
    static let transactions = #"""
        // ----- Transactions -----

        /** Collects the operations of a transaction. They have no order. */
        export interface TransactionBuilder<M extends ObjectMode = "stored"> {
          /** Returns a name for the new object, for the values of other operations. */
          insert<E extends EntityName>(entity: E, values: TransactionObject<E, M>): ObjectReference<E>;
          update<E extends EntityName>(
            entity: E,
            target: ObjectTarget<E>,
            changes: ObjectUpdate<E, M>,
            version?: number,
          ): void;
          delete<E extends EntityName>(entity: E, target: ObjectTarget<E>, version?: number): void;
        }

        class TransactionOperations {
          readonly operations: unknown[] = [];
          private readonly route: ObjectRoute;

          constructor(route: ObjectRoute) {
            this.route = route;
          }

          insert(entity: string, values: unknown): string {
            const id = `$${this.operations.length + 1}`;
            this.operations.push({ insert: entity, id, values: body(values) });
            return id;
          }

          update(entity: string, target: AnyTarget, changes: unknown, version?: number): void {
            this.operations.push({ update: this.reference(entity, target), version, values: body(changes) });
          }

          delete(entity: string, target: AnyTarget, version?: number): void {
            this.operations.push({ delete: this.reference(entity, target), version });
          }

          private reference(entity: string, target: AnyTarget): string {
            return this.route.objectPath(entity, target).slice(this.route.path.length + 1);
          }
        }

        /** What a transaction has done. */
        export class TransactionResult {
          /** An object for each operation, null for a deletion. */
          readonly items: readonly (EntityMap[EntityName]["object"] | null)[];
          /** The references of new objects by their names in the transaction. */
          readonly ids: { readonly [name: string]: string };
          /** The names of new objects that existed before, with a `merge` that allows it. */
          readonly updated: readonly string[];
          readonly _changed?: readonly ObjectChange[];

          constructor(answer: TransactionAnswer) {
            this.items = answer.items ?? [];
            this.ids = answer.ids ?? {};
            this.updated = answer.updated ?? [];
            if (answer._changed !== undefined) this._changed = answer._changed;
          }

          /** The reference of a new object. */
          reference<R extends string>(name: R): R {
            return (ownMember(this.ids, name) ?? name) as R;
          }
        }
        interface TransactionAnswer extends WrittenChanges {
          readonly items?: (EntityMap[EntityName]["object"] | null)[];
          readonly ids?: { [name: string]: string };
          readonly updated?: string[];
        }

        async function transact<M extends ObjectMode>(
          route: ObjectRoute,
          build: (transaction: TransactionBuilder<M>) => void,
          options: WriteOptions,
        ): Promise<TransactionResult> {
          const transaction = new TransactionOperations(route);
          build(transaction as unknown as TransactionBuilder<M>);
          const json = { operations: transaction.operations };
          const answer = await route.write<TransactionAnswer>("POST", `${route.path}/transaction`, json, options);
          return new TransactionResult(answer);
        }
        """#
}
