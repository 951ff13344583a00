import { exampleOf, jsonSchemaOf } from '@storeloom/openapi';
import {
  type BatchSubscription,
  type DomainEvent,
  type EventCatalogue,
  type EventHandler,
  type EventType,
  everyPublicEvent,
  type Subscription,
} from '@storeloom/plugin-sdk';
import type { LoadedPlugin, Registry } from '../plugins/registry.ts';

interface Audience {
  /** True if webhooks can subscribe. */
  public: boolean;
  /** Subscribed plugins. */
  plugins: readonly string[];
  /** Plugins with a `*` subscription and a `wants` filter. */
  asked: readonly string[];
  /** Jobs that handle the events of a unit of work together. */
  batches: readonly (BatchSubscription & { plugin: string })[];
}

/** An event type with its owner. */
export interface Announced extends Pick<EventType, 'public' | 'title' | 'data'> {
  readonly type: string;
  readonly plugin: string;
}

type CatalogueEntry = ReturnType<EventCatalogue['all']>[number];

export interface Subscriptions {
  /** Returns the subscription of an event type. @throws Error if the plugin doesn't declare the type */
  of(emitter: string, type: string): Audience;
  /**
   * Returns the handler of a plugin; undefined if it isn't subscribed (any more). Events for a job that handles many are delivered only if the
   * plugin wasn't ready when they were published.
   */
  handler(plugin: string, event: Pick<DomainEvent, 'type'>): EventHandler | undefined;
  catalogue(): ReturnType<EventCatalogue['all']>;
}

/** Collects event types and subscribers from the loaded plugins, including the events of resources. */
export function createSubscriptions(
  registry: Pick<Registry, 'loaded' | 'byName'>,
  types: ReadonlyMap<string, Announced>,
): Subscriptions {
  const found = new Map<string, Audience>();
  let listed: readonly CatalogueEntry[] | undefined;
  const listens = ({ plugin }: LoadedPlugin, name: string, isPublic: boolean): boolean =>
    handlersOf(plugin.events?.on, name) !== undefined ||
    (isPublic &&
      handlersOf(plugin.events?.on, everyPublicEvent.id) !== undefined &&
      // A job that handles the event by its name replaces `*`, as a handler does.
      !plugin.events?.onMany?.some(({ event }) => event.id === name));
  return {
    of(emitter, name) {
      const known = types.get(name);
      if (known?.plugin !== emitter) throw new Error(`the plugin ${emitter} emits ${name} without declaring it in events.emits`);
      let subscription = found.get(name);
      if (!subscription) {
        const isPublic = known.public ?? false;
        const namesOf = (entries: readonly LoadedPlugin[]): readonly string[] =>
          Object.freeze(entries.map(({ manifest }) => manifest.name));
        const all = registry.loaded.filter((entry) => listens(entry, name, isPublic));
        const asks = ({ plugin }: LoadedPlugin): boolean =>
          plugin.events?.wants !== undefined && handlersOf(plugin.events.on, name) === undefined;
        subscription = Object.freeze({
          public: isPublic,
          plugins: namesOf(all.filter((entry) => !asks(entry))),
          asked: namesOf(all.filter(asks)),
          batches: Object.freeze(
            registry.loaded.flatMap(({ manifest, plugin }) =>
              (plugin.events?.onMany ?? [])
                .filter(({ event }) => event.id === name)
                .map((each) => ({ ...each, plugin: manifest.name })),
            ),
          ),
        });
        found.set(name, subscription);
      }
      return subscription;
    },
    handler(plugin, { type }) {
      const { on, onMany = [] } = registry.byName.get(plugin)?.plugin.events ?? {};
      const batches = onMany.filter(({ event }) => event.id === type);
      return (
        handlersOf(on, type) ??
        (batches.length > 0
          ? async (ctx, { data }) => {
              for (const { job, idOf } of batches) await ctx.enqueue(job, { ids: [idOf(data)] });
            }
          : handlersOf(on, everyPublicEvent.id))
      );
    },
    catalogue: () => (listed ??= [...types.values()].map(entryOf).sort((a, b) => (a.type < b.type ? -1 : 1))),
  };
}

function entryOf({ type, plugin, public: isPublic, title, data }: Announced): CatalogueEntry {
  return {
    type,
    plugin,
    public: isPublic ?? false,
    title: title ?? null,
    // Generated on first use.
    get sample() {
      const schema = jsonSchemaOf(data, 'answer', { view: 'every-language', refs: undefined });
      return (exampleOf(schema, () => undefined) ?? {}) as Record<string, unknown>;
    },
  };
}

function handlersOf(on: readonly Subscription[] | undefined, type: string): EventHandler | undefined {
  return on?.find(([event]) => event.id === type)?.[1];
}
