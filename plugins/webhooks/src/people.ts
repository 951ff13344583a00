import { type Ctx, type HookInput, type Person, type peopleErase, type RawBuilder, sql } from '@storeloom/plugin-sdk';

/** Shorter ones stand in too many numbers. */
const shortestPhone = 6;

/** An address or number as a word of its own: `ann@example.org` isn't `joann@example.org`. */
function named({ emails, phones }: Person): RawBuilder<unknown> | undefined {
  const words = [...emails, ...phones.filter((phone) => phone.length >= shortestPhone)].map((text) =>
    text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
  );
  if (words.length === 0) return undefined;
  const pattern = `(^|[^[:alnum:]._%+-])(${words.join('|')})($|[^[:alnum:]-])`;
  return sql`(d.body ~* ${pattern} or exists (select from webhooks_attempt a where a.tenant_id = d.tenant_id and a.delivery_id = d.id and a.response_excerpt ~* ${pattern}))`;
}

/** Exports the deliveries about a person. Only the host of the URL, since its path can be secret. */
export async function exportPerson(ctx: Ctx, person: Person): Promise<{ resource: string; rows: Record<string, unknown>[] }[]> {
  const about = named(person);
  if (!about) return [];
  const rows = await ctx.db.rows<Record<string, unknown> & { url: string; body: string }>(sql`
    select d.type, d.status, d.body, e.url, d.created_at as "createdAt" from webhooks_delivery d
    join webhooks_endpoint e on e.tenant_id = d.tenant_id and e.id = d.endpoint_id
    where d.tenant_id = ${ctx.tenant.id} and ${about} order by d.created_at, d.id`);
  return [
    {
      resource: 'webhooks.delivery',
      rows: rows.map(({ url, body, ...rest }) => ({ ...rest, receiver: new URL(url).host, payload: JSON.parse(body) })),
    },
  ];
}

/** The log forgets what it told of the person; what has not gone out yet does not go out any more. */
export async function erasePerson(ctx: Ctx, person: HookInput<typeof peopleErase>): Promise<void> {
  const about = named(person);
  const erased = about
    ? await ctx.db.run(sql`delete from webhooks_delivery d where d.tenant_id = ${ctx.tenant.id} and ${about}`)
    : 0;
  person.report({ resource: 'webhooks.delivery', erased });
}
