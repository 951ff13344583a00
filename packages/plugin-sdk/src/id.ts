import { randomFillSync } from 'node:crypto';

const pool = Buffer.alloc(4096);
let used = pool.length;
let lastMs = 0;
let counter = 0;

/**
 * Returns a UUIDv7 (RFC 9562) in lower case. Ids made by one process within one millisecond are ordered: the 12 bits after the
 * time count up.
 */
export function uuidv7(ms: number = Date.now()): string {
  if (used + 10 > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  if (ms > lastMs) {
    lastMs = ms;
    counter = pool.readUInt16BE(used) & 0x7ff;
  } else {
    counter += 1;
    if (counter > 0xfff) {
      lastMs += 1;
      counter = 0;
    }
  }
  const time = lastMs.toString(16).padStart(12, '0');
  const a = (0x7000 | counter).toString(16);
  const rest = pool.subarray(used + 2, used + 10);
  rest[0] = ((rest[0] as number) & 0x3f) | 0x80;
  const hex = rest.toString('hex');
  used += 10;
  return `${time.slice(0, 8)}-${time.slice(8)}-${a}-${hex.slice(0, 4)}-${hex.slice(4)}`;
}
