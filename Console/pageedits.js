// SPDX-License-Identifier: Apache-2.0

// The edits of the shown page, as the frame knows them.

export const pageEdits = {
    /** Whether there are some that belong into the draft. */
    isEdited: () => false,
    /** Saves them into the draft. @type {() => Promise<boolean>} False if that can't be done. */
    save: async () => true,
    /** Drops them, if the person agrees. @type {() => Promise<boolean>} False if they are to stay. */
    discard: async () => true,
};
