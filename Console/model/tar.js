// SPDX-License-Identifier: Apache-2.0

// A file of a tar archive.

const BLOCK = 512;
/** Where a field of the head is, and what it has in each file. */
const MODE = [100, "0000644\0"];
const OWNER = [108, "0000000\0"];
const GROUP = [116, "0000000\0"];
const TIME = [136, "00000000000\0"];
/** The sum of the head is made with spaces in its own place. */
const SUM = [148, "        "];
const KIND = [156, "0"];
const MAGIC = [257, "ustar\0" + "00"];
const FOLDER = 345;

/**
 * @param {string} folder With at most 155 bytes.
 * @param {string} name With at most 100 bytes.
 * @param {string} text
 * @returns {Uint8Array[]}
 */
export function tarFile(folder, name, text) {
    const encoder = new TextEncoder();
    const content = encoder.encode(text);
    const head = new Uint8Array(BLOCK);
    const write = ([offset, value]) => head.set(encoder.encode(value), offset);
    const size = `${content.length.toString(8).padStart(11, "0")}\0`;
    [[0, name], MODE, OWNER, GROUP, [124, size], TIME, SUM, KIND, MAGIC, [FOLDER, folder]].forEach(write);
    const sum = head.reduce((total, byte) => total + byte, 0);
    write([SUM[0], `${sum.toString(8).padStart(6, "0")}\0 `]);
    return [head, content, new Uint8Array((BLOCK - content.length % BLOCK) % BLOCK)];
}
