import { type Ctx, notifications, sql } from '@storeloom/plugin-sdk';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { hold } from './endpoint.ts';
import { endpointEvents } from './events.ts';

/** Disables an endpoint until staff enable it again, and notifies them. */
export async function switchOff(ctx: Ctx, id: string, url: string, reason: 'gone' | 'failing'): Promise<void> {
  await ctx.db.run(sql`update webhooks_endpoint set active = false, disabled_reason = ${reason}, updated_at = ${ctx.clock.now()}, version = version + 1
    where tenant_id = ${ctx.tenant.id} and id = ${id}`);
  await hold(ctx, id);
  await ctx.audit({
    entity: 'webhooks.endpoint',
    entityId: id,
    action: 'webhooks.endpoint.disable',
    before: { active: true, disabledReason: null },
    after: { active: false, disabledReason: reason },
  });
  await ctx.emit(endpointEvents.disabled, { id, data: { id, reason } });
  // The path of an address may be a secret of its receiver.
  const { host } = new URL(url);
  await ctx.require(notifications).notifyStaff({
    type: 'webhooks.endpoint.disabled',
    title: { ro: ro['notification.disabled.title'], en: en['notification.disabled.title'] },
    body: {
      ro: ro[`notification.${reason}.body`].replace('{host}', host),
      en: en[`notification.${reason}.body`].replace('{host}', host),
    },
    link: `/webhooks/${id}`,
  });
}
