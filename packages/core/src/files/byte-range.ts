/** First and last byte, both included. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * Returns the range that a `Range` header selects in content of `size` bytes (RFC 9110, 14.1.2). Undefined without one range of bytes: the
 * whole content is sent then, as for a header that isn't valid. `unsatisfiable` if it starts behind the end.
 */
export function byteRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.replace(/\s/g, '') ?? '') ?? [];
  if (first === '') {
    if (last === '') return undefined;
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? 'unsatisfiable' : { start, end };
}
