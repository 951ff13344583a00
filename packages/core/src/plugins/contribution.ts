import { unitOf } from '@storeloom/data';
import { thrownMessage } from '@storeloom/keys';
import {
  type AnyHook,
  type AnyTable,
  claimTable,
  compileEntities,
  isResource,
  type Provider,
  type Resource,
  type Route,
  snake,
  type TapOptions,
} from '@storeloom/plugin-sdk';
import type { Interception, Tap } from '../hooks/tap.ts';
import type {
  ContributedEntity,
  ContributedEvent,
  ContributedInbound,
  ContributedReferrer,
  ContributedTap,
  Contribution,
} from './contributed.ts';
import { mountRoutes, statsPath, webhookPath } from './mount.ts';
import type { LoadedPlugin } from './registry.ts';

/** Reads the contribution of a plugin; runs only its `hooks` and `router`. */
export function contributionOf({ manifest: { name, foundation }, plugin }: LoadedPlugin): Contribution {
  const problems: string[] = [];
  const wrong = (problem: string): void => void problems.push(problem);
  const { routes, permissions, borrowed } = mountRoutes(name, plugin, wrong);
  const entities = entitiesOf(name, [...(plugin.tables ?? []), ...resourcesOf(plugin)], wrong);
  checkRelations(entities, wrong);
  const stats = Object.entries(plugin.stats ?? {}).map(([key, provider]) => ({
    plugin: name,
    name: key,
    path: statsPath(key, wrong),
    permission: `${name}.stats.read`,
    provider,
  }));
  if (stats.length > 0) permissions.set(`${name}.stats.read`, 'See the figures');
  const inbound = Object.entries(plugin.webhooks ?? {}).map(([key, receiver]): ContributedInbound => {
    const method = receiver.method ?? 'POST';
    return {
      plugin: name,
      key,
      path: webhookPath(key, wrong),
      methods: receiver.challenge && method === 'POST' ? ['POST', 'GET'] : [method],
      inbound: receiver,
    };
  });
  const { taps, interceptions, hookKinds } = tapsOf(name, plugin, wrong);
  checkSettings(plugin, wrong);
  checkLocales(plugin, wrong);
  for (const key of repeated((plugin.screens ?? []).map((screen) => screen.key))) wrong(`two screens have the key ${key}`);
  for (const file of repeated((plugin.migrations ?? []).map((migration) => migration.name)))
    wrong(`the migration ${file} is listed twice`);
  return {
    plugin: name,
    problems,
    routes,
    inbound,
    stats,
    entities,
    referrers: entities.flatMap(referrersOf),
    permissions,
    borrowed,
    events: eventsOf(name, plugin, wrong),
    handlers: (plugin.events?.on ?? []).map(([{ id }, handler]) => ({ type: id, handler })),
    jobs: jobsOf(plugin, wrong),
    services: servicesOf(plugin, foundation, wrong),
    taps,
    interceptions,
    hookKinds,
    errors: errorsOf(plugin, wrong),
  };
}

type Wrong = (problem: string) => void;

/** Checks that relations of entities stay within the plugin and use existing fields. */
function checkRelations(entities: readonly ContributedEntity[], wrong: Wrong): void {
  try {
    compileEntities(
      entities.map(({ table }) => table),
      { unitOf },
    );
  } catch (error) {
    wrong(thrownMessage(error));
  }
}
type PluginValue = LoadedPlugin['plugin'];

const repeated = (names: readonly string[]): string[] => [...new Set(names.filter((name, i) => names.indexOf(name) !== i))];

function resourcesOf(plugin: PluginValue): AnyTable[] {
  const resources = [...(plugin.admin ?? []), ...(plugin.storefront ?? [])].filter((item: Resource | Route) => isResource(item));
  return resources.flatMap((resource) => [...resource.tables()]);
}

function entitiesOf(plugin: string, tables: readonly AnyTable[], wrong: Wrong): ContributedEntity[] {
  const found = new Map<string, ContributedEntity>();
  for (const table of new Set(tables)) {
    const entity = `${plugin}.${table.noun}`;
    if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(table.noun))
      wrong(`the table ${table.noun} must be named by words of a-z and 0-9 joined by -`);
    if (found.has(entity)) {
      wrong(`two tables are called ${entity}`);
      continue;
    }
    try {
      // A plugin with its own copy of the SDK has registered its tables only there.
      claimTable(plugin, table);
    } catch (error) {
      wrong(thrownMessage(error));
      continue;
    }
    const path = isResource(table as Resource) ? (table as Resource).path : table.noun;
    found.set(entity, { name: entity, plugin, table, sqlName: snake(entity), path });
  }
  return [...found.values()];
}

function referrersOf({ name, plugin, table, sqlName, path }: ContributedEntity): ContributedReferrer[] {
  return Object.entries(table.fields)
    .filter(([, field]) => field.spec.kind === 'ref' && !field.spec.virtual)
    .map(([member, field]) => ({
      entity: name,
      plugin,
      path,
      table: sqlName,
      column: snake(member),
      softDeleted: table.softDelete,
      target: field.spec.target as string,
    }));
}

type HookContribution = Pick<Contribution, 'taps' | 'interceptions' | 'hookKinds'>;

function tapsOf(plugin: string, { hooks }: PluginValue, wrong: Wrong): HookContribution {
  const taps: ContributedTap[] = [];
  const interceptions: Interception[] = [];
  const hookKinds = new Map<string, string>();
  const isHookId = (id: string): boolean => /^[a-z][a-z0-9-]*:[a-z0-9.-]+$/.test(id);
  try {
    hooks?.({
      on(hook: AnyHook, fn: unknown, { stage = 50, before = [] }: TapOptions = {}) {
        if (!isHookId(hook.id)) return wrong(`${hook.id} is no name of a hook`);
        if (typeof fn !== 'function') return wrong(`the tap of ${hook.id} is no function`);
        if (!Number.isFinite(stage)) return wrong(`the tap of ${hook.id} has the stage ${stage}`);
        const later = typeof before === 'string' ? [before] : before;
        if (later.includes(plugin)) return wrong(`the tap of ${hook.id} is before ${plugin} itself: order its taps by stage`);
        if (hook.kind !== undefined) hookKinds.set(hook.id, `${hook.kind}, ${hook.policy}`);
        taps.push({ hook: hook.id, plugin, stage, before: later, fn: fn as Tap['fn'] });
      },
      intercept(hook, observer) {
        const id = hook === '*' ? hook : hook.id;
        if (id !== '*' && !isHookId(id)) return wrong(`${id} is no name of a hook`);
        interceptions.push({ plugin, hook: id, observer });
      },
    });
  } catch (error) {
    wrong(`its hooks function throws: ${thrownMessage(error)}`);
  }
  return { taps, interceptions, hookKinds };
}

/** Returns the declared events and those of resources. */
function eventsOf(
  plugin: string,
  { events, jobs = {}, admin = [], storefront = [] }: PluginValue,
  wrong: Wrong,
): ContributedEvent[] {
  const found = new Map<string, ContributedEvent>();
  for (const type of repeated((events?.on ?? []).map(([event]) => event.id))) wrong(`it handles the event ${type} twice`);
  const single = new Set((events?.on ?? []).map(([event]) => event.id));
  // An event that was published while the plugin wasn't ready is delivered to one of them.
  for (const { event } of events?.onMany ?? [])
    if (single.has(event.id)) wrong(`it handles the event ${event.id} both in on and in onMany: choose one`);
  for (const { event, job } of events?.onMany ?? [])
    if (!jobs[job.name]) wrong(`the job ${job.name} for the events ${event.id} isn't defined in jobs`);
  for (const type of repeated((events?.emits ?? []).map((event) => event.id))) wrong(`it declares the event ${type} twice`);
  for (const { id: type, ...event } of events?.emits ?? []) {
    if (!type.startsWith(`${plugin}.`) || !/^[a-z0-9_.-]+$/.test(type))
      wrong(`the event ${type} must be called ${plugin}.<thing>.<what happened>`);
    found.set(type, { ...event, type, plugin, implied: false });
  }
  const announce = (resource: Resource): void => {
    const { verbs, machine, children = {} } = resource.options;
    const happenings = [
      // Also without a route, since code can create rows by `Resource.create`.
      'created',
      ...(verbs.includes('update') || verbs.includes('replace') ? ['updated'] : []),
      ...(verbs.includes('remove') ? ['deleted'] : []),
      ...Object.values(machine?.moves ?? {}).map((move) => move.to),
    ];
    for (const happening of happenings) {
      const type = `${plugin}.${resource.noun}.${happening}`;
      if (!found.has(type)) found.set(type, { type, plugin, implied: true, data: {} });
    }
    for (const child of Object.values(children)) announce(child.resource);
  };
  for (const item of [...admin, ...storefront]) if (isResource(item)) announce(item);
  return [...found.values()];
}

function jobsOf({ jobs = {} }: PluginValue, wrong: Wrong): Contribution['jobs'] {
  return Object.entries(jobs).map(([name, job]) => {
    if (!/^[a-z][\w-]*$/i.test(name)) wrong(`${name} is no name of a job`);
    if (typeof job.run !== 'function') wrong(`the job ${name} has no run function`);
    if ('platform' in job && 'perTenant' in job && job.perTenant) wrong(`the job ${name} is both per tenant and of the platform`);
    return { name, job };
  });
}

function servicesOf({ provides = [] }: PluginValue, foundation: boolean, wrong: Wrong): Provider[] {
  for (const [{ id }] of provides) {
    if (!/^[a-z][a-z0-9-]*:[a-z0-9.-]+$/.test(id)) wrong(`${id} is no name of a service`);
    // A plugin provides the kernel's authenticator; the kernel provides all other services under its name.
    if (id.startsWith('kernel:') && !(foundation && id === 'kernel:authenticator'))
      wrong(`${id} is not for this plugin to provide`);
  }
  for (const id of repeated(provides.map(([token]) => token.id))) wrong(`the service ${id} is provided twice`);
  return [...provides];
}

function errorsOf({ errors = {} }: PluginValue, wrong: Wrong): Contribution['errors'] {
  for (const [code, { status, title }] of Object.entries(errors)) {
    if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(code)) wrong(`the error code ${code} must be lower_snake_case`);
    if (!Number.isInteger(status) || status < 400 || status > 599) wrong(`the error code ${code} has the status ${status}`);
    if (typeof title !== 'string' || title === '') wrong(`the error code ${code} has no title`);
  }
  return Object.entries(errors);
}

function checkSettings({ settings = {} }: PluginValue, wrong: Wrong): void {
  for (const [name, { spec }] of Object.entries(settings)) {
    if (!/^[a-z][a-zA-Z0-9]*$/.test(name)) wrong(`the setting ${name} must be named in camelCase`);
    // A new tenant has no settings, so every plugin must work without.
    if (!spec.nullable && !spec.hasDefault) wrong(`the setting ${name} must be optional or have a default`);
  }
}

function checkLocales({ locales }: PluginValue, wrong: Wrong): void {
  if (locales === undefined) return;
  const missing = (from: 'ro' | 'en', to: 'ro' | 'en'): void => {
    const keys = Object.keys(locales[to] ?? {}).filter((key) => !Object.hasOwn(locales[from] ?? {}, key));
    if (keys.length > 0)
      wrong(
        `the messages ${keys.slice(0, 5).join(', ')}${keys.length > 5 ? ` and ${keys.length - 5} more` : ''} are in ${to} and not in ${from}`,
      );
  };
  missing('ro', 'en');
  missing('en', 'ro');
}
