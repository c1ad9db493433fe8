// Packed lists of numbers back to arrays: the counterpart of src/report/packed_numbers.h, which tells the forms.
//
// What does not fit ends in a PageDataError with the place. Cost: one pass over the bytes.
import { type Numbers, PageDataError } from "../data";

/** Values in 0 .. 1, in steps of 1 / unit where they were packed. */
export interface Shares {
  values: ArrayLike<number>;
  unit: number;
}

function damaged(where: string, what: string): never {
  throw new PageDataError(`The data in this file are damaged: ${where} ${what}.`);
}

function bytesOf(text: string, where: string): Uint8Array {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    return damaged(where, "is no base64");
  }
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; ++at) {
    bytes[at] = binary.charCodeAt(at);
  }
  return bytes;
}

/** Reads numbers of 7 bits a byte. */
class Varints {
  private at = 0;

  constructor(private readonly bytes: Uint8Array, private readonly where: string) {}

  get done(): boolean {
    return this.at >= this.bytes.length;
  }

  next(): number {
    let number = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      if (this.done) {
        damaged(this.where, "ends too soon");
      }
      const byte = this.bytes[this.at++];
      number += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) {
        return number;
      }
    }
    return damaged(this.where, "holds a number that is too large");
  }
}

function wantLength(got: number, wanted: number, where: string): void {
  if (got !== wanted) {
    damaged(where, `has ${got} values; ${wanted} were expected`);
  }
}

/** The ends of edges, as two arrays. */
export function unpackEdges(numbers: Numbers, nodes: number, edges: number, where: string): [Int32Array, Int32Array] {
  const sources = new Int32Array(edges);
  const targets = new Int32Array(edges);
  if (Array.isArray(numbers)) {
    for (let edge = 0; edge < edges; ++edge) {
      sources[edge] = numbers[2 * edge];
      targets[edge] = numbers[2 * edge + 1];
    }
    return [sources, targets];
  }
  const read = new Varints(bytesOf(numbers.edges ?? damaged(where, "is packed in an unknown way"), where), where);
  let edge = 0;
  for (let node = 0; node < nodes; ++node) {
    let before = node;
    for (let left = read.next(); left > 0; --left) {
      before += read.next();
      if (edge >= edges || before >= nodes) {
        damaged(where, "holds more edges or nodes than there are");
      }
      sources[edge] = node;
      targets[edge++] = before;
    }
  }
  wantLength(edge, edges, where);
  return [sources, targets];
}

/** Ascending indices below `count`. */
export function unpackIndices(numbers: Numbers, count: number, where: string): number[] {
  if (Array.isArray(numbers)) {
    return numbers;
  }
  const read = new Varints(bytesOf(numbers.deltas ?? damaged(where, "is packed in an unknown way"), where), where);
  const found: number[] = [];
  for (let before = 0; !read.done;) {
    before += read.next();
    if (before >= count) {
      damaged(where, `holds ${before}; there are ${count}`);
    }
    found.push(before);
  }
  return found;
}

/** Whole numbers from -1: of nodes' colours. */
export function unpackWords(numbers: Numbers, length: number, labels: number, where: string): Int32Array {
  if (Array.isArray(numbers)) {
    return Int32Array.from(numbers);
  }
  const bytes = bytesOf(numbers.words ?? damaged(where, "is packed in an unknown way"), where);
  wantLength(bytes.length, 2 * length, where);
  return Int32Array.from({ length }, (_, at) => {
    const word = bytes[2 * at] | (bytes[2 * at + 1] << 8);
    return word === 65535 ? -1 : word < labels ? word : damaged(where, `holds ${word}; there are ${labels} labels`);
  });
}

export function unpackRaw(numbers: Numbers, length: number, where: string): Uint8Array {
  const bytes = Array.isArray(numbers) ? Uint8Array.from(numbers)
    : bytesOf(numbers.raw ?? damaged(where, "is packed in an unknown way"), where);
  wantLength(bytes.length, length, where);
  return bytes;
}

export function unpackShares(numbers: Numbers, length: number, where: string): Shares {
  if (Array.isArray(numbers)) {
    return { values: numbers, unit: 1 };
  }
  if (numbers.bytes !== undefined) {
    const bytes = bytesOf(numbers.bytes, where);
    wantLength(bytes.length, length, where);
    return { values: bytes, unit: 255 };
  }
  const pairs = bytesOf(numbers.nibbles ?? damaged(where, "is packed in an unknown way"), where);
  wantLength(pairs.length, Math.ceil(length / 2), where);
  const values = new Uint8Array(length);
  for (let at = 0; at < length; ++at) {
    values[at] = at % 2 === 0 ? pairs[at >> 1] & 15 : pairs[at >> 1] >> 4;
  }
  return { values, unit: 15 };
}
