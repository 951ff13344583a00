import { type Ctx, f, type LicenceView, licence, problem, type RowOf, route, sql } from '@storeloom/plugin-sdk';

const shape = {
  keyMasked: f.text().optional(),
  state: f.oneOf(['none', 'valid', 'renewal_due', 'grace', 'expired', 'revoked']),
  /** Why the stored licence was refused. */
  problem: f.object({ code: f.text(), message: f.text({ max: 4000 }) }).optional(),
  plan: f.text().optional(),
  plugins: f.json().optional().describe('Range of versions by plugin.'),
  themes: f.json().optional().describe('Range of versions by theme.'),
  limits: f.json().optional().describe('Number by limit.'),
  domains: f
    .list(f.text({ max: 253 }))
    .optional()
    .describe("A shop's new hosts are these or below them; empty: any."),
  expiresAt: f.instant().optional(),
  updatesUntil: f.instant().optional(),
  lastHeartbeatAt: f.instant().optional(),
  installation: f.text().optional(),
};

async function isOperator(ctx: Ctx): Promise<boolean> {
  const row = await ctx.transaction(({ db }) => db.first<{ operator: boolean }>(sql`select platform_is_operator() as operator`), {
    readOnly: true,
  });
  return row?.operator === true;
}

/** The licence is the installation's: other tenants see whether it holds, and no more. */
function shown(ctx: Ctx, view: LicenceView, whole: boolean): RowOf<typeof shape> {
  const { state, plan, expiresAt } = view;
  if (whole) return { ...view, problem: ctx.require(licence).problem() ?? null };
  const hidden = {
    keyMasked: null,
    plugins: null,
    themes: null,
    limits: null,
    domains: null,
    updatesUntil: null,
    lastHeartbeatAt: null,
  };
  return { ...hidden, problem: null, installation: null, state, plan, expiresAt };
}

async function requireOperator(ctx: Ctx, permission: string): Promise<void> {
  if (!(await isOperator(ctx)))
    throw problem('forbidden', {
      permission,
      detail: "Only owners of the operator's shop can manage the licence of the installation.",
    });
}

/** What is asked of the licence server waits for an answer: no transaction is open meanwhile. */
async function changed(ctx: Ctx, action: string, change: () => Promise<LicenceView>): Promise<RowOf<typeof shape>> {
  await requireOperator(ctx, action);
  const plain = ({ state, plan, expiresAt, keyMasked, installation }: LicenceView) => ({
    state,
    plan,
    expiresAt,
    keyMasked,
    installation,
  });
  const before = plain(ctx.require(licence).view());
  const view = await change();
  await ctx.transaction((tx) => tx.audit({ entity: 'platform.license', entityId: null, action, before, after: plain(view) }));
  return shown(ctx, view, true);
}

/** `/api/admin/license`: the licence under which this installation runs. */
export const ownLicenceRoutes = [
  route(
    'GET',
    '/license/',
    { permission: 'platform.license.read', summary: 'The licence of the installation', response: shape, transaction: 'none' },
    async (ctx) => shown(ctx, ctx.require(licence).view(), await isOperator(ctx)),
  ),
  route(
    'POST',
    '/license/activate',
    {
      permission: 'platform.license.activate',
      summary: 'Activate a licence by its key, or by a certificate made for this installation',
      body: { key: f.text({ max: 16_384 }) },
      response: shape,
      transaction: 'none',
      // The key is a secret, and activating again takes no second seat.
      idempotent: false,
      rateLimit: { points: 20, seconds: 60, by: 'tenant' },
      problems: ['activation_limit', 'license_required', 'provider_not_configured', 'unavailable'],
    },
    (ctx, req) => changed(ctx, 'platform.license.activate', () => ctx.require(licence).activate(req.body.key)),
  ),
  route(
    'POST',
    '/license/heartbeat',
    {
      permission: 'platform.license.heartbeat',
      summary: 'Ask the licence server now',
      response: shape,
      transaction: 'none',
      rateLimit: { points: 20, seconds: 60, by: 'tenant' },
      problems: ['no_activation', 'unavailable'],
    },
    (ctx) => changed(ctx, 'platform.license.heartbeat', () => ctx.require(licence).heartbeat()),
  ),
  route(
    'POST',
    '/license/deactivate',
    {
      permission: 'platform.license.deactivate',
      summary: 'Deactivate the licence; works without the server, which is notified later',
      response: shape,
      transaction: 'none',
    },
    (ctx) => changed(ctx, 'platform.license.deactivate', () => ctx.require(licence).deactivate()),
  ),
];
