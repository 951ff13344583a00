import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDemoTenant, type Kernel, type Prepared, prepare, readConfig } from '@storeloom/core';
import { createLog, foundationPlugins, queueNames, type Registry } from '@storeloom/core/internal';
import { ensureRoles } from '@storeloom/data';
import type { Template, TestDatabase } from '@storeloom/embedded-postgres/testing';
import { type LicenceIssuerConfig, licenceIssuer } from '@storeloom/licence';
import { mailTransport } from '@storeloom/mail-smtp';
import { type Actor, type Ctx, type Plugin, service } from '@storeloom/plugin-sdk';
import { createDatabase } from '../database.ts';
import { TestClient } from './client.ts';
import { findPlugins, type TestPlugin } from './plugins.ts';
import { checkResponsesOf, endChecksOf, ResponseCheck } from './response-check.ts';

/** Options of `testShop`. */
export interface TestShopOptions {
  /** Short names (`catalog`), package names, folders, or the plugins themselves. Foundation plugins are added. */
  plugins: readonly TestPlugin[];
  /** Folder from which plugins are found. Default: that of the run. */
  dir?: string;
  /** Processes of the installation. Default 1. */
  processes?: number;
  /** Run jobs and events. Default true. What has a schedule runs where a test says so: see `runJob`. */
  workers?: boolean;
  /** `gross` by default. */
  priceMode?: 'gross' | 'net';
  currency?: string;
  /** `RATE_LIMIT_FACTOR`: 1 applies the rate limits of routes. Default 0, which switches them off. */
  rateLimitFactor?: number;
  /** Freezes the clock of every process at this instant. */
  now?: string;
  /** Folders of themes; the first is the default one. */
  themes?: readonly string[];
  /** Whose licences the installation takes. */
  licenceIssuer?: LicenceIssuerConfig;
  /**
   * Whether `stop` fails if a response differed from the OpenAPI document: an undeclared status, header, code or property, or another type
   * of a value. Default true.
   */
  checkResponses?: boolean;
  /** Modules by short name, where they can't be imported by package name. */
  modules?: Readonly<Record<string, Plugin>>;
}

/** One tenant of the test installation and its callers. */
export interface TestTenant {
  readonly id: string;
  /** Unique short name. */
  readonly slug: string;
  /** Host name. */
  readonly host: string;
  /** Signed in as the owner. */
  readonly admin: TestClient;
  /** An anonymous visitor. */
  readonly guest: TestClient;
  /** Registers a customer and signs in. `confirmed`: with a confirmed e-mail address; groups apply to such customers only. */
  customer(email?: string, options?: { confirmed?: boolean }): Promise<TestClient & { customerId: string; email: string }>;
  /** Creates a staff user with exactly these permissions and signs in. */
  staff(permissions: readonly string[]): Promise<TestClient>;
  /** Runs code in a transaction of the tenant, with the context of a plugin. */
  run<T>(plugin: string, fn: (ctx: Ctx) => Promise<T>, options?: { actor?: Actor; transaction?: 'none' }): Promise<T>;
}

/** A running test installation with two tenants. */
export interface TestShop {
  /** The first tenant. */
  readonly a: TestTenant;
  /** The second tenant. */
  readonly b: TestTenant;
  /** Signed in as operator. */
  readonly operator: TestClient;
  /** The first kernel. */
  readonly kernel: Kernel;
  /** The kernel of each process. */
  readonly kernels: readonly Kernel[];
  /** Base URL of each process. */
  readonly bases: readonly string[];
  /** The prepared installation. */
  readonly prepared: Prepared;
  /** The clock of every kernel. */
  readonly clock: TestClock;
  /**
   * Starts another process on the installation as it is now, and returns its base URL. A plugin that isn't ready any more is no
   * error here. `broken` names plugins that can't be imported.
   */
  startProcess(options?: { broken?: readonly string[] }): Promise<string>;
  /** SQL past row-level security, as the owner in maintenance: for assertions. */
  rows<R = Record<string, unknown>>(text: string, values?: unknown[]): Promise<R[]>;
  /** Transactions that requests and jobs have open now. Their state is hidden from the owner's role; that they hold a lock isn't. */
  openTransactions(): Promise<number>;
  /** Waits until no event, mail, inbound notification or due job is left. Jobs that are due in up to `ahead` seconds become due now. */
  settled(ahead?: number): Promise<void>;
  /** Returns the queued e-mails, newest last. A sent e-mail no longer has data and attachments: see `workers: false`. */
  mails(): Promise<
    {
      to: string;
      template: string;
      locale: string;
      data: Record<string, unknown>;
      /** `content` in base64. */
      attachments: { name: string; type: string; content: string }[];
    }[]
  >;
  /** Stops the kernels and removes the database. */
  stop(): Promise<void>;
}

/**
 * The clock of every kernel of a test shop, `ctx.clock` of plugins. SQL gets it as a parameter (`${ctx.clock.now()}`); a
 * statement with `now()` uses the real time, as do separate processes.
 */
export class TestClock {
  private frozen: number | undefined;
  private shift = 0;
  constructor(now?: string) {
    if (now !== undefined) this.frozen = Date.parse(now);
  }
  /** Returns the time in milliseconds since 1970. */
  ms = (): number => (this.frozen ?? Date.now()) + this.shift;
  /** Returns the time as an instant. */
  now = (): string => new Date(this.ms()).toISOString();
  /** Stops the clock at an instant. */
  freeze(instant: string): void {
    this.frozen = Date.parse(instant);
    this.shift = 0;
  }
  /** Moves the clock forward by milliseconds. */
  advance(milliseconds: number): void {
    this.shift += milliseconds;
  }
}

/** Services of identity, by their ids: this package has no dependency on a plugin. */
const accountsToken = service<{
  createStaff(staff: { email: string; name: string; password: string; roleIds: readonly string[] }): Promise<{ userId: string }>;
  createOwner(owner: { email: string; name: string; password: string }): Promise<{ userId: string }>;
}>('identity:accounts');
const customerDirectoryToken = service<{
  markVerified(id: string, options: { acceptRegistration: boolean }): Promise<void>;
}>('identity:customer-directory');
const operatorsToken = service<{
  create(operator: { email: string; name: string; password: string }): Promise<{ userId: string }>;
}>('identity:operators');

const password = 'correct horse battery staple';
// Time limits are longer than in production, so that a busy machine fails no test.
/** Milliseconds for the import of a plugin. */
const importDeadline = 120_000;
/** Milliseconds that a request waits for a connection. */
const poolWait = 60_000;
/** Milliseconds for locks and statements: many simultaneous requests may want one row. */
const timeouts = { lockTimeout: 60_000, statementTimeout: 70_000 };

/** Two tenants of a real installation: kernel, HTTP and PostgreSQL, with the named plugins. */
export async function testShop(options: TestShopOptions): Promise<TestShop> {
  const dataDir = mkdtempSync(join(tmpdir(), 'storeloom-test-'));
  const log = createLog({ level: process.env.STORELOOM_TEST_LOG ? 'info' : 'fatal' });
  const dir = options.dir ?? process.cwd();
  const { list, names, fingerprint, ...found } = findPlugins(options.plugins, dir);
  const modules = { ...found.modules, ...options.modules };
  const config = readConfig({
    STORELOOM_ENV: 'development',
    STORELOOM_DATA: dataDir,
    RATE_LIMIT_FACTOR: String(options.rateLimitFactor ?? 0),
    PORT: '0',
  });
  const issuer = options.licenceIssuer && licenceIssuer.parse(options.licenceIssuer);
  const [theme] = options.themes ?? [];
  const installation = {
    dir,
    plugins: list,
    demo: [],
    ...(theme === undefined ? {} : { theme, themes: options.themes ?? [] }),
    ...(issuer ? { licence: { issuer } } : {}),
  };
  const broken = new Set<string>();
  const importModule = async (_url: string, manifest: { name: string }): Promise<unknown> => {
    if (broken.has(manifest.name)) throw new Error(`${manifest.name} is broken`);
    const given = modules[manifest.name];
    return given ? { default: given } : import(/* @vite-ignore */ _url);
  };
  const prepareWith = (plugins: readonly string[], ownerUrl: string): Promise<Prepared> =>
    prepare(
      config,
      { ...installation, plugins },
      {
        log,
        importModule,
        importDeadline,
        ownerUrl,
        drivers: { mail: async (target) => mailTransport(target) },
      },
    );
  const ready = async (plugins: readonly string[], ownerUrl: string): Promise<Prepared> => {
    const made = await prepareWith(plugins, ownerUrl);
    refuseUnready(made.registry, names);
    return made;
  };
  // A stand-in with migrations of its own makes another database than the plugin that it stands in for; only those of foundation plugins
  // are in the database that all others begin with.
  const standIns = Object.entries(modules).map(([name, { migrations = [] }]) => [name, ...migrations.map((each) => each.name)]);
  const isFoundation = ([name = '']: readonly string[]): boolean => (foundationPlugins as readonly string[]).includes(name);
  const migrated = (plugins: readonly string[], from?: Template): Template => ({
    key: `shop ${[...plugins].sort().join()} ${JSON.stringify(from ? [standIns, fingerprint] : standIns.filter(isFoundation))}`,
    ...(from ? { from } : {}),
    prepare: async (url) => {
      const report = await (await ready(plugins, url)).migrate();
      if (report.exitCode !== 0) throw new Error(`migrations failed: ${JSON.stringify(report.failed)}`);
    },
  });
  // What every shop has is migrated once.
  const foundation = migrated([]);
  const database: TestDatabase = await createDatabase({ template: list.length === 0 ? foundation : migrated(list, foundation) });
  const prepared = await ready(list, database.url);
  await ensureRoles(database.url, prepared.dataDir.secrets.databasePassword);
  const clock = new TestClock(options.now);
  const kernels: Kernel[] = [];
  const check = new ResponseCheck(() => (kernels[0] as Kernel).openapi());
  const onUndeclared = (route: string, property: string): void =>
    check.add(`${route}: the handler returned ${property}, which \`response\` doesn't declare.`);
  const listen = { port: 0, host: '127.0.0.1' };
  // A minute or an hour that is over while a test runs must not make it another test: it says itself what is due.
  const how = { workers: options.workers ?? true, schedules: false, poolWait, timeouts, clock, onUndeclared, ...listen };
  for (let i = 0; i < (options.processes ?? 1); i++) {
    const each = i === 0 ? prepared : await ready(list, database.url);
    kernels.push(await each.start(how));
  }
  const kernel = kernels[0] as Kernel;
  try {
    refuseUnready(kernel.registry, names);
  } catch (error) {
    await Promise.all(kernels.map((each) => each.stop({ immediately: true })));
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
    throw error;
  }
  const bases = kernels.map(({ port }) => `http://127.0.0.1:${port}`);
  if (options.checkResponses !== false) for (const base of bases) checkResponsesOf(base, check);

  const owner = new (await import('pg')).default.Pool({
    connectionString: database.url,
    max: 2,
    options: '-c app.maintenance=on -c timezone=UTC',
  });
  // Dropping the database ends its connections, those of a pool that is about to end too.
  owner.on('connect', (client) => client.on('error', () => undefined));
  owner.on('error', () => undefined);
  const a = await makeTenant(kernel, bases[0] as string, 'a', options);
  const b = await makeTenant(kernel, bases[0] as string, 'b', options);
  await kernel.asPlatform('identity', (ctx) =>
    ctx.require(operatorsToken).create({ email: 'operator@test.example', name: 'Operator', password }),
  );
  const operator = await signedIn(bases[0] as string, '127.0.0.1', {
    email: 'operator@test.example',
    password,
    audience: 'super-admin',
  });

  return {
    a,
    b,
    operator,
    kernel,
    kernels,
    bases,
    prepared,
    clock,
    async startProcess(wanted = {}) {
      for (const name of wanted.broken ?? []) broken.add(name);
      const each = await (await prepareWith(list, database.url)).start({ ...how, workers: false });
      broken.clear();
      kernels.push(each);
      return `http://127.0.0.1:${each.port}`;
    },
    async rows<R>(text: string, values: unknown[] = []) {
      return (await owner.query(text, values)).rows as R[];
    },
    async openTransactions() {
      const { rows } = await owner.query(
        `select count(distinct pid)::int as open from pg_locks join pg_stat_activity a using (pid)
          where locktype = 'virtualxid' and a.datname = current_database() and a.application_name = 'storeloom'`,
      );
      return (rows[0] as { open: number }).open;
    },
    async settled(ahead = 0) {
      // Longer than the job of a killed process takes to come back.
      const end = performance.now() + 180_000;
      for (let look = 0; performance.now() < end; look++) {
        if (ahead > 0)
          await owner.query(
            `update jobs.job set start_after = now() where state in ('created', 'retry') and start_after > now()
               and start_after <= now() + make_interval(secs => $1) and name = any($2)`,
            [ahead, queueNames],
          );
        const { rows } = await owner.query(
          `select
          (select count(*) from core_event_delivery where handled_at is null and failed_at is null) +
          (select count(*) from core_inbound where handled_at is null) +
          (select count(*) from jobs.job where state in ('created', 'retry', 'active')
             and start_after <= now() + make_interval(secs => $2) and name = any($1)) as n`,
          [queueNames, ahead],
        );
        if (Number((rows[0] as { n: string }).n) === 0) return;
        // Now and then: who looks all the time keeps others from their work.
        if (look % 10 === 1) for (const each of kernels) each.wake();
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      throw new Error('background work did not settle');
    },
    async mails() {
      return (
        await owner.query('select recipient as "to", template, locale, data, attachments from core_mail order by created_at, id')
      ).rows;
    },
    async stop() {
      await Promise.all(kernels.map((each) => each.stop({ immediately: true })));
      await owner.end();
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
      for (const base of bases) endChecksOf(base);
      const { differences } = check;
      if (options.checkResponses !== false && differences.length > 0)
        throw new Error(`${differences.length} responses differ from the OpenAPI document:\n${differences.join('\n')}`);
    },
  };
}

/** What the test needs and can't have is its first error, with the reason that the product gives. */
function refuseUnready(registry: Registry, names: ReadonlySet<string>): void {
  const broken = registry.states().filter((state) => state.state !== 'ready' && names.has(state.name));
  if (broken.length > 0)
    throw new Error(broken.map(({ name, state, reason }) => `${name} is ${state}: ${reason?.message}`).join('\n'));
}

function signedIn(base: string, host: string, body: Record<string, unknown>): Promise<TestClient> {
  return TestClient.signedIn(base, host, async () => {
    const client = new TestClient(base, host);
    const response = await client.post<{ accessToken: string }>('/api/auth/login', body);
    await client.close();
    if (response.status !== 200) throw new Error(`sign-in failed: ${response.status} ${response.text}`);
    return `Bearer ${response.body.accessToken}`;
  });
}

async function makeTenant(kernel: Kernel, base: string, slug: string, options: TestShopOptions): Promise<TestTenant> {
  const host = `${slug}.localhost`;
  const email = `owner@${slug}.example`;
  const id = await kernel.database.withPlatform((tx) =>
    createDemoTenant(tx, kernel.clock.now(), {
      name: `Shop ${slug.toUpperCase()}`,
      slug,
      hosts: [host],
      priceMode: options.priceMode ?? 'gross',
      currency: options.currency ?? 'RON',
      locales: ['ro', 'en'],
      defaultLocale: 'ro',
    }),
  );
  await kernel.inTenant(id, 'identity', (ctx) =>
    ctx.require(accountsToken).createOwner({ email, name: `Owner ${slug}`, password }),
  );
  const admin = await signedIn(base, host, { email, password, audience: 'admin' });
  const guest = new TestClient(base, host);
  let counter = 0;
  return {
    id,
    slug,
    host,
    admin,
    guest,
    async customer(given, { confirmed = false } = {}) {
      const customerEmail = given ?? `customer${++counter}@${slug}.example`;
      const registered = await guest.post('/api/auth/register', {
        email: customerEmail,
        password,
        firstName: 'Test',
        lastName: `Customer ${counter}`,
      });
      if (registered.status !== 202) throw new Error(`registering failed: ${registered.status} ${registered.text}`);
      const client = await signedIn(base, host, { email: customerEmail, password });
      const me = await client.get<{ user: { id: string } }>('/api/auth/me');
      const customerId = me.body.user.id;
      if (confirmed)
        await kernel.inTenant(id, 'identity', (ctx) =>
          ctx.require(customerDirectoryToken).markVerified(customerId, { acceptRegistration: true }),
        );
      return Object.assign(client, { customerId, email: customerEmail });
    },
    async staff(permissions) {
      const role = await admin.post<{ id: string }>('/api/admin/rbac/roles', { name: `role ${++counter}`, permissions });
      if (role.status !== 201) throw new Error(`making a role failed: ${role.status} ${role.text}`);
      const address = `staff${counter}@${slug}.example`;
      const name = `Staff ${counter}`;
      await kernel.inTenant(id, 'identity', (ctx) =>
        ctx.require(accountsToken).createStaff({ email: address, name, password, roleIds: [role.body.id] }),
      );
      return signedIn(base, host, { email: address, password, audience: 'admin' });
    },
    run: (plugin, fn, how) => kernel.inTenant(id, plugin, fn, how ?? {}),
  };
}
