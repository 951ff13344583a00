import type { DomainEvent, EventHandler, EventType } from '@storeloom/plugin-sdk';
import type { LoadedPlugin, Registry } from '../runtime.ts';

/** A plugin that subscribes to `*` hears of every public event of every plugin. */
export const everyPublicEvent = '*';

export interface Subscription {
  /** Webhooks may subscribe. */
  public: boolean;
  /** Plugins that listen. */
  plugins: readonly string[];
}

export interface Subscriptions {
  /** Throws where the plugin has not declared the type in `events.emits`. */
  of(emitter: string, type: string): Subscription;
  /** The handler of a plugin, undefined when it doesn't listen (any more). */
  handler(plugin: string, event: Pick<DomainEvent, 'type'>): EventHandler | undefined;
  catalogue(): readonly { type: string; plugin: string; public: boolean; title: string | null }[];
}

/** Who emits what and who listens, from the loaded plugins. Refuses two plugins that emit one type. */
export function createSubscriptions(registry: Pick<Registry, 'loaded' | 'byName'>): Subscriptions {
  const types = new Map<string, { plugin: string; type: EventType }>();
  for (const { manifest, plugin } of registry.loaded) {
    for (const [name, type] of Object.entries(plugin.events?.emits ?? {})) {
      const other = types.get(name)?.plugin;
      if (other) throw new Error(`the event ${name} is emitted by ${other} and by ${manifest.name}; one plugin owns a type`);
      types.set(name, { plugin: manifest.name, type });
    }
  }
  const found = new Map<string, Subscription>();
  const listens = ({ plugin }: LoadedPlugin, name: string, isPublic: boolean): boolean =>
    handlersOf(plugin.events?.on, name) !== undefined ||
    (isPublic && handlersOf(plugin.events?.on, everyPublicEvent) !== undefined);
  return {
    of(emitter, name) {
      const known = types.get(name);
      if (known?.plugin !== emitter) throw new Error(`the plugin ${emitter} emits ${name} without declaring it in events.emits`);
      let subscription = found.get(name);
      if (!subscription) {
        const isPublic = known.type.public ?? false;
        const plugins = registry.loaded.filter((entry) => listens(entry, name, isPublic)).map(({ manifest }) => manifest.name);
        subscription = Object.freeze({ public: isPublic, plugins: Object.freeze(plugins) });
        found.set(name, subscription);
      }
      return subscription;
    },
    handler(plugin, { type }) {
      const on = registry.byName.get(plugin)?.plugin.events?.on;
      return handlersOf(on, type) ?? handlersOf(on, everyPublicEvent);
    },
    catalogue: () =>
      [...types]
        .map(([type, { plugin, type: declared }]) => ({
          type,
          plugin,
          public: declared.public ?? false,
          title: declared.title ?? null,
        }))
        .sort((a, b) => (a.type < b.type ? -1 : 1)),
  };
}

function handlersOf(on: Readonly<Record<string, EventHandler>> | undefined, type: string): EventHandler | undefined {
  return on && Object.hasOwn(on, type) ? on[type] : undefined;
}
