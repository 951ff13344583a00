import { randomBytes } from 'node:crypto';
import { createDemoTenant, type Installation, type Kernel, type Prepared } from '@storeloom/core';
import { service, sql } from '@storeloom/plugin-sdk';
import { demoOwner } from './owner.ts';

/** Services of identity, by their ids: the command has no dependency on a plugin. */
const accountsToken = service<{
  createOwner(owner: { email: string; name: string; password: string }): Promise<{ userId: string }>;
}>('identity:accounts');
const operatorsToken = service<{
  create(operator: { email: string; name: string; password: string }): Promise<{ userId: string }>;
}>('identity:operators');

export interface DemoLogins {
  tenants: { slug: string; host: string; owner: { email: string; password: string } }[];
  superAdmin: { email: string; password: string };
}
interface Kept {
  passwords: Record<string, string>;
  done: string[];
}
const file = 'demo.json';

/**
 * The tenants of the installation's `demo`, each made once on a plan with every plugin, with one owner, the demo seeds of its plugins in
 * dependency order, then its own. A second run changes nothing; the passwords are kept, so that a warm start prints the same ones.
 * A run that `signal` ends goes on at the next start.
 */
export async function seedDemo(
  kernel: Kernel,
  installation: Installation,
  dataDir: Pick<Prepared['dataDir'], 'readJson' | 'writeJson'>,
  say: (line: string) => void,
  signal?: AbortSignal,
): Promise<DemoLogins> {
  const kept: Kept = (dataDir.readJson(file) as Kept | undefined) ?? { passwords: {}, done: [] };
  const save = (): void => dataDir.writeJson(file, kept);
  const passwordOf = (who: string): string => {
    kept.passwords[who] ??= randomBytes(12).toString('base64url');
    return kept.passwords[who];
  };
  const operator = { email: 'operator@storeloom.localhost', password: passwordOf('operator') };
  save();
  if (!kept.done.includes('operator')) {
    await kernel.asPlatform('identity', async (ctx) => {
      await ctx.require(operatorsToken).create({ ...operator, name: 'Operator' });
    });
    kept.done.push('operator');
    save();
  }
  const logins: DemoLogins = { tenants: [], superAdmin: operator };
  for (const wanted of installation.demo) {
    const email = `owner@${wanted.host}`;
    const password = passwordOf(wanted.slug);
    logins.tenants.push({ slug: wanted.slug, host: wanted.host, owner: { email, password } });
    const tenantId = await ensureTenant(kernel, wanted);
    if (!kept.done.includes(`${wanted.slug} owner`)) {
      await kernel.inTenant(tenantId, 'identity', (ctx) =>
        ctx.require(accountsToken).createOwner({ email, name: wanted.name, password }),
      );
      kept.done.push(`${wanted.slug} owner`);
      save();
    }
    // A plugin that is broken, or a seed that needs one, leaves a gap in the demo and is tried again at the next start; the shop serves.
    const fillOnce = async (step: string, fill: () => Promise<void>): Promise<void> => {
      signal?.throwIfAborted();
      if (kept.done.includes(step)) return;
      try {
        await unlessAborted(fill(), signal);
        kept.done.push(step);
        save();
      } catch (error) {
        signal?.throwIfAborted();
        say(`the demo data of ${step} is missing: ${error instanceof Error ? error.message : String(error)}`);
      }
    };
    const present = new Set(kernel.registry.states().map(({ name }) => name));
    for (const name of wanted.seeds ?? [])
      if (!present.has(name))
        say(`the demo data of ${wanted.slug} ${name} is missing: no plugin of the installation has this name`);
    for (const { manifest, plugin } of kernel.registry.loaded) {
      const fill = plugin.seeds?.demo;
      if (fill && (wanted.seeds ?? [manifest.name]).includes(manifest.name))
        await fillOnce(`${wanted.slug} ${manifest.name}`, () => kernel.inTenant(tenantId, manifest.name, (ctx) => fill(ctx)));
    }
    const { seed } = wanted;
    if (seed) {
      if (!kept.done.includes(`${wanted.slug} seed`)) say(`filling the demo shop ${wanted.slug} …`);
      const owner = demoOwner(`http://127.0.0.1:${kernel.port}`, wanted.host, { email, password });
      await fillOnce(`${wanted.slug} seed`, () =>
        kernel.inTenant(tenantId, 'workspace', (ctx) => seed(ctx, owner), { transaction: 'none' }),
      );
    }
  }
  return logins;
}

/** Waits no longer than until the abort. What is left of the work fails when the kernel closes its connections. */
async function unlessAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return work;
  let leave: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason as Error);
    signal.addEventListener('abort', leave, { once: true });
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    if (leave) signal.removeEventListener('abort', leave);
  }
}

async function ensureTenant(kernel: Kernel, wanted: Installation['demo'][number]): Promise<string> {
  const now = kernel.clock.now();
  return kernel.database.withPlatform(async (tx) => {
    const known = await tx.db.first<{ id: string }>(sql`select id from core_tenant where slug = ${wanted.slug}`);
    if (known) return known.id;
    return createDemoTenant(tx, now, {
      name: wanted.name,
      slug: wanted.slug,
      hosts: [wanted.host],
      timezone: wanted.timezone,
      currency: wanted.currency,
      locales: [...wanted.locales],
      defaultLocale: wanted.locales[0] ?? 'ro',
    });
  });
}
