import type { Ctx } from '@storeloom/plugin-sdk';
import { queued } from './queued.ts';

/** Queues the delivery job of an endpoint, now or in `seconds`. Two calls for the same time are one job. */
export function wake(ctx: Ctx, endpointId: string, later?: { key: string; seconds: number }): Promise<void> {
  return ctx.enqueue(
    queued.dispatch,
    { endpointId },
    later ? { key: `${endpointId} ${later.key}`, startAfter: Math.max(0, Math.ceil(later.seconds)) } : { key: endpointId },
  );
}
