import {
  type Ctx,
  checkReferences,
  f,
  invalid,
  type Route,
  route,
  type Shape,
  type TableRow,
  table,
} from '@storeloom/plugin-sdk';

/** E-mail templates of checkout: `mail.<name>` in its locales. */
const recoveryTemplates = ['reminder', 'reminder_offer', 'last_call'] as const;

const stepFields = {
  delayHours: f.int({ min: 0, max: 24 * 90 }),
  templateId: f.text({ max: 60 }).example('reminder'),
  /** Promotion that issues a new code for each e-mail. */
  promotionId: f.ref('promotions.promotion').optional(),
} satisfies Shape;
const fields = {
  enabled: f.bool().default(false),
  /** Minutes without activity after which a cart with a contact is abandoned. */
  idleMinutes: f.int({ min: 5, max: 60 * 24 * 14 }).default(60),
  steps: f.list(f.object(stepFields), { max: 10 }),
  /** Maximum number of e-mails to one address in 30 days, over all its carts. */
  maxPer30Days: f.int({ min: 1, max: 30 }).default(3),
} satisfies Shape;

export const recoveryConfig = table('recovery-config', fields, {
  uniques: [{ name: 'checkout_recovery_config_tenant_id_key', fields: [] }],
});
type ConfigRow = TableRow<typeof recoveryConfig>;
export type RecoveryConfig = Pick<ConfigRow, 'enabled' | 'idleMinutes' | 'steps' | 'maxPer30Days' | 'version'>;

const defaultConfig: RecoveryConfig = { enabled: false, idleMinutes: 60, steps: [], maxPer30Days: 3, version: 0 };

const configView = ({ enabled, idleMinutes, steps, maxPer30Days, version }: RecoveryConfig): RecoveryConfig => ({
  enabled,
  idleMinutes,
  steps,
  maxPer30Days,
  version,
});

export async function recoveryConfigOf(ctx: Ctx): Promise<RecoveryConfig> {
  const row = await ctx.rows(recoveryConfig).first({});
  return row ? configView(row) : defaultConfig;
}

export function checkTemplate(templateId: string, pointer: string): void {
  if (!(recoveryTemplates as readonly string[]).includes(templateId))
    throw invalid(pointer, 'invalid', `must be one of ${recoveryTemplates.join(', ')}`);
}

const response = { ...fields, version: f.int() } satisfies Shape;

const read = route(
  'GET',
  '/cart-recovery-config/',
  { permission: 'checkout.cart-recovery-config.read', summary: 'Get when and how abandoned carts are recovered', response },
  (ctx) => recoveryConfigOf(ctx),
);

const write = route(
  'POST',
  '/cart-recovery-config/',
  {
    permission: 'checkout.cart-recovery-config.create',
    entity: 'checkout.recovery-config',
    summary: 'Set when and how abandoned carts are recovered',
    body: fields,
    response,
  },
  async (ctx, req) => {
    const { body } = req;
    body.steps.forEach(({ templateId, delayHours }, i) => {
      checkTemplate(templateId, `/steps/${i}/templateId`);
      if (i > 0 && delayHours <= (body.steps[i - 1]?.delayHours ?? 0))
        throw invalid(`/steps/${i}/delayHours`, 'invalid', 'must be later than the step before');
    });
    await checkReferences(ctx, fields, body);
    const rows = ctx.rows(recoveryConfig);
    const before = await rows.first({}, { lock: true });
    const after = before ? await rows.update(before.id, body) : await rows.insert(body);
    await ctx.audit({
      entity: 'checkout.recovery-config',
      entityId: after.id,
      before: before ? configView(before) : null,
      after: configView(after),
    });
    return configView(after);
  },
);

export const recoveryConfigRoutes: Route[] = [read, write];
