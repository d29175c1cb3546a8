// SPDX-License-Identifier: Apache-2.0

// Tells the last of several requests from those before, whose answers aren't shown any more.

export class Turns {
    #last = 0;

    /** Begins a turn. @returns {() => boolean} Says whether no other one has begun since. */
    begin() {
        this.#last += 1;
        const own = this.#last;
        return () => own === this.#last;
    }
}
