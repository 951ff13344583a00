import type { Ctx } from '@storeloom/plugin-sdk';
import type { Scope } from '../context/scope.ts';
import type { Registry } from '../plugins/registry.ts';
import type { Subscriptions } from './subscriptions.ts';

/** Returns the event types of a unit of work that plugins with a `wants` filter accept, by plugin. */
export async function wantedTypes(
  scope: Scope,
  subscriptions: Pick<Subscriptions, 'of'>,
  registry: Pick<Registry, 'byName'>,
  contextFor: (plugin: string) => Ctx,
): Promise<Map<string, readonly string[]>> {
  const types = new Map<string, Set<string>>();
  for (const { plugin, type } of scope.events)
    for (const name of subscriptions.of(plugin, type).asked)
      if (scope.on(name)) types.set(name, (types.get(name) ?? new Set()).add(type));
  const wanted = new Map<string, readonly string[]>();
  for (const [name, asked] of types) {
    const events = registry.byName.get(name)?.plugin.events;
    wanted.set(name, (await events?.wants?.(contextFor(name), [...asked])) ?? []);
  }
  return wanted;
}
