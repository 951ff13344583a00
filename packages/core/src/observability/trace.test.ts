import { describe, expect, it } from 'vitest';
import { createLog } from './log.ts';
import { inTrace, readTraceparent, traceId, traceparent } from './trace.ts';

const id = '4bf92f3577b34da6a3ce929d0e0e4736';
const given = `00-${id}-00f067aa0ba902b7-01`;

describe('traceparent', () => {
  it('is read as the standard says', () => {
    expect(readTraceparent(given)).toEqual({ traceId: id, flags: '01' });
    // A version to come may have more parts.
    expect(readTraceparent(`cc-${id}-00f067aa0ba902b7-01-what-else`)).toEqual({ traceId: id, flags: '01' });
  });

  it.each([
    ['nothing', undefined],
    ['several', [given, given]],
    ['upper case', given.toUpperCase()],
    ['a version that is forbidden', given.replace(/^00/, 'ff')],
    ['more than the version has', `${given}-x`],
    ['no trace', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
    ['no parent', `00-${id}-${'0'.repeat(16)}-01`],
    ['too short', `00-${id.slice(1)}-00f067aa0ba902b7-01`],
    ['a line break', `${given}\n`],
  ])('is replaced: %s', (_, header) => {
    expect(readTraceparent(header)).toBeUndefined();
    const made = inTrace(header, traceId);
    expect(made).toMatch(/^[0-9a-f]{32}$/);
    expect(made).not.toBe(id);
  });

  it('goes on with a parent of its own, to what is called and left, across waiting', async () => {
    await inTrace(given, async () => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      expect(traceId()).toBe(id);
      const first = traceparent();
      expect(first).toMatch(new RegExp(`^00-${id}-[0-9a-f]{16}-01$`));
      expect(first).not.toBe(given);
      expect(traceparent()).not.toBe(first);
    });
    expect([traceId(), traceparent()]).toEqual([undefined, undefined]);
  });

  it('stands in every line of the log', () => {
    const lines: string[] = [];
    const log = createLog({ to: { write: (line: string) => void lines.push(line) } });
    inTrace(given, () => log.info({ plugin: 'x' }, 'inside'));
    log.info({ plugin: 'x' }, 'outside');
    expect(lines.map((line) => JSON.parse(line).trace_id)).toEqual([id, undefined]);
  });
});
