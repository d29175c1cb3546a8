// SPDX-License-Identifier: Apache-2.0

// Applies the events of live queries to lists.

extension Runtime {
    static let live = #"""
        // ----- Live queries -----

        /** A change of a live list, by places in it. */
        export type LiveChange<T> =
          | { readonly delete: number }
          | { readonly move: { readonly from: number; readonly to: number }; readonly object?: T }
          | { readonly insert: number; readonly object: T }
          | { readonly update: number; readonly object: T };

        /** A live list after an event. Each event has an array of its own. */
        export interface LiveList<T> {
          readonly items: readonly T[];
          /** What differs from the list before, or null for a list that was read completely. */
          readonly changes: readonly LiveChange<T>[] | null;
          /** The number of all objects, with `count`. */
          readonly total: number | undefined;
          /** With `section`: the values of the key path, and how many objects have each. */
          readonly sections: readonly LiveSection[] | undefined;
        }
        export interface LiveSection {
          readonly name: JSONValue;
          readonly count: number;
        }

        interface LiveData<T> {
          readonly items?: T[];
          readonly changes?: LiveChange<T>[];
          readonly total?: number;
          readonly sections?: LiveSection[];
        }

        async function* liveLists<T>(
          events: AsyncGenerator<ServerEvent, void, undefined>,
        ): AsyncGenerator<LiveList<T>, void, undefined> {
          let items: readonly T[] = [];
          let total: number | undefined;
          let sections: readonly LiveSection[] | undefined;
          for await (const event of events) {
            const data = event.data as LiveData<T>;
            const changes = event.name === "change" ? data.changes ?? [] : null;
            items = changes === null ? data.items ?? [] : changed(items, changes);
            total = data.total ?? total;
            sections = data.sections ?? sections;
            yield { items, changes, total, sections };
          }
        }

        /** A list after changes: deletions have places in the list before, all others in the list after. */
        function changed<T>(items: readonly T[], changes: readonly LiveChange<T>[]): T[] {
          const gone = new Set<number>();
          const placed: { place: number; object: T | undefined }[] = [];
          for (const change of changes) {
            if ("delete" in change) gone.add(change.delete);
            if ("insert" in change) placed.push({ place: change.insert, object: change.object });
            if ("move" in change) {
              gone.add(change.move.from);
              placed.push({ place: change.move.to, object: change.object ?? items[change.move.from] });
            }
          }
          const list = items.filter((_, place) => !gone.has(place));
          placed.sort((one, other) => one.place - other.place);
          for (const { place, object } of placed) list.splice(place, 0, object as T);
          for (const change of changes) if ("update" in change) list[change.update] = change.object;
          return list;
        }
        """#
}
