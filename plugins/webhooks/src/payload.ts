import type { DomainEvent } from '@storeloom/plugin-sdk';

/** Bytes of a body at most. */
export const maxBody = 20_000;

/**
 * What is sent of an event: `{type, timestamp, data}`. `data.sequence` orders the events of one `data.aggregateId`. From data that is too
 * long the longest members are left out and named in `data.omitted`: the receiver asks for them by id.
 */
export function bodyOf({ type, at, aggregate, sequence, data }: Omit<DomainEvent, 'id'>): string {
  const place = { aggregateId: aggregate, sequence };
  const members = Object.entries(data).sort(([, a], [, b]) => sizeOf(a) - sizeOf(b));
  const omitted: string[] = [];
  for (;;) {
    const kept = Object.fromEntries(Object.entries(data).filter(([name]) => !omitted.includes(name)));
    const body = JSON.stringify({
      type,
      timestamp: at,
      data: { ...kept, ...place, ...(omitted.length > 0 ? { omitted: [...omitted].sort() } : {}) },
    });
    const longest = members.pop();
    if (Buffer.byteLength(body) <= maxBody || !longest) return body;
    omitted.push(longest[0]);
  }
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');
