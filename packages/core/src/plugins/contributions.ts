import { thrownMessage } from '@storeloom/keys';
import {
  type EventHandler,
  generalProblems,
  type Job,
  type PlatformJob,
  type ProblemType,
  type Provider,
  sharedProblems,
} from '@storeloom/plugin-sdk';
import { registrationOrder } from '../hooks/order.ts';
import type { Interception, Tap } from '../hooks/tap.ts';
import { coreRoutes } from '../http/core-routes.ts';
import { reasonOf } from '../installation/fault.ts';
import type {
  ContributedEntity,
  ContributedEvent,
  ContributedInbound,
  ContributedReferrer,
  ContributedRoute,
  ContributedStats,
  Contribution,
} from './contributed.ts';
import { contributionOf } from './contribution.ts';
import type { PluginRegistry } from './load.ts';
import { shapeOf } from './mount.ts';

/** The contributions of the ready plugins, in dependency order. */
export interface Contributions {
  readonly routes: readonly ContributedRoute[];
  readonly inbound: readonly ContributedInbound[];
  readonly stats: readonly ContributedStats[];
  /** By name, `catalog.product`. */
  readonly entities: ReadonlyMap<string, ContributedEntity>;
  /** By referenced entity. */
  readonly referrers: ReadonlyMap<string, readonly ContributedReferrer[]>;
  readonly permissions: readonly { readonly name: string; readonly plugin: string; readonly title: string }[];
  readonly events: ReadonlyMap<string, ContributedEvent>;
  readonly handlers: ReadonlyMap<string, readonly { readonly plugin: string; readonly handler: EventHandler }[]>;
  readonly jobs: readonly { readonly plugin: string; readonly name: string; readonly job: Job | PlatformJob }[];
  readonly services: ReadonlyMap<string, { readonly plugin: string; readonly make: Provider[1] }>;
  /** By hook, in the order of their registration: by stage, then by dependency, those with `before` last. */
  readonly taps: ReadonlyMap<string, readonly Tap[]>;
  readonly interceptions: readonly Interception[];
  /** Domain codes; the general ones are not among them. */
  readonly errors: ReadonlyMap<string, ProblemType>;
  /** Likely mistakes, such as a subscription to an event that a loaded plugin doesn't publish. */
  readonly warnings: readonly string[];
}

/** Two plugins have the same route. Stops the boot. */
export class RouteConflict extends Error {
  override readonly name = 'RouteConflict';
  readonly code = 'route_conflict';
  readonly exitCode = 1;
  readonly conflicts: readonly string[];
  constructor(conflicts: readonly string[]) {
    super(`Two plugins claim the same route:\n${conflicts.map((conflict) => `  - ${conflict}`).join('\n')}`);
    this.conflicts = conflicts;
  }
}

interface Owned {
  readonly routes: Map<string, string>;
  readonly tables: Map<string, string>;
  readonly permissions: Map<string, string>;
  readonly events: Map<string, string>;
  readonly services: Map<string, string>;
  readonly hookKinds: Map<string, { plugin: string; kind: string }>;
  readonly errors: Map<string, { plugin: string; type: ProblemType }>;
}

/**
 * Collects and checks the contributions of the loaded plugins. Of two that conflict the later one fails, and its dependants are blocked.
 * @throws RouteConflict with every route that two plugins, or a plugin and the core, have
 */
export function collectContributions(registry: PluginRegistry): Contributions {
  const taken: Contribution[] = [];
  const conflicts: string[] = [];
  const owned: Owned = {
    routes: new Map(coreRoutes().map(({ route, path }) => [shapeOf(route.method, path), 'core'])),
    tables: new Map(),
    permissions: new Map(),
    events: new Map(),
    services: new Map(),
    hookKinds: new Map(),
    errors: new Map(
      Object.entries({ ...generalProblems, ...sharedProblems }).map(([code, type]) => [code, { plugin: 'core', type }]),
    ),
  };
  for (const loaded of registry.loaded) {
    const { name, package: packageName, version } = loaded.manifest;
    // A required plugin can have failed just now.
    if (!registry.byName.has(name)) continue;
    const contribution = contributionOf(loaded);
    const problems = [...contribution.problems, ...collisions(contribution, owned, taken)];
    if (problems.length > 0) {
      registry.markFailed(
        name,
        reasonOf({
          code: 'contribution_invalid',
          what: `${name} ${version} can't be registered`,
          where: `${packageName}@${version}`,
          why: problems.join('; '),
        }),
      );
      continue;
    }
    for (const [shape, label] of routeShapes(contribution)) {
      const other = owned.routes.get(shape);
      if (other !== undefined) conflicts.push(`${label}: ${other} and ${name}`);
      owned.routes.set(shape, name);
    }
    take(contribution, owned);
    taken.push(contribution);
  }
  if (conflicts.length > 0) throw new RouteConflict(conflicts);
  return merge(taken);
}

/** Returns the shape of each route with its label; copies under `/api/v1` have the label of the original. */
function routeShapes({ routes, inbound, stats }: Contribution): [string, string][] {
  const all: [string, string][] = [
    ...routes.filter((entry) => !entry.mirror).map(({ route, fullPath }): [string, string] => [route.method, fullPath]),
    ...inbound.flatMap(({ methods, path }) => methods.map((method): [string, string] => [method, path])),
    ...stats.map(({ path }): [string, string] => ['GET', path]),
  ];
  return all.map(([method, path]) => [shapeOf(method, path), `${method} ${path}`]);
}

function collisions(contribution: Contribution, owned: Owned, taken: readonly Contribution[]): string[] {
  const problems: string[] = [];
  const shapes = new Set<string>();
  for (const [shape, label] of routeShapes(contribution)) {
    if (shapes.has(shape)) problems.push(`it claims ${label} twice`);
    shapes.add(shape);
  }
  const both = (what: string, keys: Iterable<string>, owners: ReadonlyMap<string, string>): void => {
    for (const key of keys) if (owners.has(key)) problems.push(`the ${what} ${key} is ${owners.get(key)}'s already`);
  };
  both(
    'table',
    contribution.entities.map((entity) => entity.sqlName),
    owned.tables,
  );
  both('permission', contribution.permissions.keys(), owned.permissions);
  both(
    'event',
    contribution.events.map((event) => event.type),
    owned.events,
  );
  both(
    'service',
    contribution.services.map(([token]) => token.id),
    owned.services,
  );
  for (const [id, kind] of contribution.hookKinds) {
    const other = owned.hookKinds.get(id);
    if (other && other.kind !== kind) problems.push(`the hook ${id} is ${kind} here and ${other.kind} in ${other.plugin}`);
  }
  problems.push(...circles(contribution, taken));
  for (const [code, { status, title }] of contribution.errors) {
    const other = owned.errors.get(code);
    if (other && (other.type.status !== status || other.type.title !== title))
      problems.push(
        `the error code ${code} is declared differently in ${other.plugin} (${other.type.status}, ${other.type.title})`,
      );
  }
  for (const permission of contribution.borrowed)
    if (!owned.permissions.has(permission))
      problems.push(`a route names the permission ${permission}, which no plugin before it declares`);
  // Targets of later or missing plugins can't be checked.
  const known = new Map(taken.map((other) => [other.plugin, other]));
  known.set(contribution.plugin, contribution);
  for (const { target, entity, column } of contribution.referrers) {
    const owner = known.get(target.slice(0, target.indexOf('.')));
    if (owner && !owner.entities.some((candidate) => candidate.name === target))
      problems.push(`${entity}.${column} refers to ${target}, which does not exist`);
  }
  return problems;
}

/** Returns hooks whose taps form a cycle by `before`, including the taps of this plugin. */
function circles({ taps }: Contribution, taken: readonly Contribution[]): string[] {
  const hooks = new Set(taps.filter((tap) => tap.before?.length).map((tap) => tap.hook));
  return [...hooks].flatMap((hook) => {
    const all = [...taken.flatMap((other) => other.taps), ...taps].filter((tap) => tap.hook === hook);
    try {
      registrationOrder(all);
      return [];
    } catch (error) {
      return [`the taps of ${hook} can't be ordered: ${thrownMessage(error)}`];
    }
  });
}

function take(contribution: Contribution, owned: Owned): void {
  const { plugin } = contribution;
  for (const entity of contribution.entities) owned.tables.set(entity.sqlName, plugin);
  for (const permission of contribution.permissions.keys()) owned.permissions.set(permission, plugin);
  for (const event of contribution.events) owned.events.set(event.type, plugin);
  for (const [token] of contribution.services) owned.services.set(token.id, plugin);
  for (const [id, kind] of contribution.hookKinds) owned.hookKinds.set(id, { plugin, kind });
  for (const [code, type] of contribution.errors) owned.errors.set(code, { plugin, type });
}

function merge(taken: readonly Contribution[]): Contributions {
  const taps = grouped(
    taken.flatMap((each) => each.taps),
    (tap) => tap.hook,
  );
  const events = new Map(taken.flatMap((each) => each.events).map((event) => [event.type, event]));
  const handlers = grouped(
    taken.flatMap((each) => each.handlers.map((entry) => ({ plugin: each.plugin, ...entry }))),
    (entry) => entry.type,
  );
  const plugins = new Set(taken.map((each) => each.plugin));
  return {
    routes: taken.flatMap((each) => each.routes),
    inbound: taken.flatMap((each) => each.inbound),
    stats: taken.flatMap((each) => each.stats),
    entities: new Map(taken.flatMap((each) => each.entities).map((entity) => [entity.name, entity])),
    referrers: grouped(
      taken.flatMap((each) => each.referrers),
      (referrer) => referrer.target,
    ),
    permissions: taken.flatMap((each) => [...each.permissions].map(([name, title]) => ({ name, plugin: each.plugin, title }))),
    events,
    handlers,
    jobs: taken.flatMap((each) => each.jobs.map((entry) => ({ plugin: each.plugin, ...entry }))),
    services: new Map(
      taken.flatMap((each) => each.services.map(([token, make]) => [token.id, { plugin: each.plugin, make }] as const)),
    ),
    taps: new Map([...taps].map(([hook, list]) => [hook, registrationOrder(list)])),
    interceptions: taken.flatMap((each) => each.interceptions),
    errors: new Map(taken.flatMap((each) => each.errors)),
    warnings: [...handlers]
      .filter(([type]) => !events.has(type) && plugins.has(type.slice(0, Math.max(0, type.indexOf('.')))))
      .map(([type, [first]]) => `${first?.plugin} listens for ${type}, which its plugin doesn't announce`),
  };
}

function grouped<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return groups;
}
