import type { Ctx } from '@storeloom/plugin-sdk';

/** Somebody is to look what an endpoint is due, now or in so many seconds. Two calls for one moment are one job. */
export function wake(ctx: Ctx, endpointId: string, later?: { key: string; seconds: number }): Promise<void> {
  return ctx.enqueue(
    'dispatch',
    { endpointId },
    later ? { key: `${endpointId} ${later.key}`, startAfter: Math.max(0, Math.ceil(later.seconds)) } : { key: endpointId },
  );
}
