import { fieldJsonSchema, jsonSchemaOf } from '@storeloom/openapi';
import {
  type Ctx,
  type Field,
  type FieldMode,
  notFound,
  Problem,
  type SettingEntry,
  type SettingsRegistry,
  type Shape,
} from '@storeloom/plugin-sdk';
import type { SettingsCore } from './settings.ts';
import { maskValues, nothingStored, type StoredSettings, type Values } from './values.ts';

interface Keyed {
  plugin: string;
  name: string;
  shape: Shape;
}

/** Reads and writes the settings of all plugins by key `<plugin>.<name>`, for the administration. Secrets are masked, `hidden` ones left out. */
export function createSettingsRegistry({ shapes, read, open, write }: SettingsCore): SettingsRegistry {
  const shapeOf = (plugin: string): Shape | undefined => shapes().get(plugin);
  const shown = (ctx: Ctx, plugin: string, shape: Shape, stored: StoredSettings): Values => {
    const values = maskValues(shape, open(ctx.tenant.id, plugin, shape, stored));
    return Object.fromEntries(
      visible(shape).map(([name, { spec }]) => [name, spec.sensitive && !ctx.can(spec.sensitive) ? null : values[name]]),
    );
  };
  const entries = (ctx: Ctx, plugin: string, shape: Shape, stored: StoredSettings): SettingEntry[] => {
    const values = shown(ctx, plugin, shape, stored);
    return visible(shape).map(([name, field]) => ({
      key: `${plugin}.${name}`,
      value: values[name],
      schema: fieldJsonSchema(name, field),
      version: stored.version,
      store: field.spec.store,
    }));
  };
  const entry = (ctx: Ctx, { plugin, name, shape }: Keyed, stored: StoredSettings): SettingEntry =>
    entries(ctx, plugin, shape, stored).find((one) => one.key === `${plugin}.${name}`) as SettingEntry;
  const keyed = (ctx: Ctx, key: string): Keyed | undefined => {
    const dot = key.indexOf('.');
    const [plugin, name] = dot < 0 ? ['', key] : [key.slice(0, dot), key.slice(dot + 1)];
    const shape = shapeOf(plugin);
    return shape && Object.hasOwn(shape, name) && !shape[name]?.spec.hidden && ctx.isOn(plugin)
      ? { plugin, name, shape }
      : undefined;
  };

  return {
    async all(ctx) {
      const rows = await read(ctx.db, ctx.tenant.id);
      return [...shapes()]
        .filter(([plugin]) => ctx.isOn(plugin))
        .flatMap(([plugin, shape]) => entries(ctx, plugin, shape, rows.get(plugin) ?? nothingStored));
    },
    async get(ctx, key) {
      const found = keyed(ctx, key);
      if (!found) return undefined;
      return entry(ctx, found, (await read(ctx.db, ctx.tenant.id, found.plugin)).get(found.plugin) ?? nothingStored);
    },
    async put(ctx, key, value, version) {
      const found = keyed(ctx, key);
      if (!found) throw notFound(`There is no setting ${key}.`);
      const { plugin, name, shape } = found;
      mayWrite(ctx, shape, [name]);
      const own = `/${name}`;
      const stored = await write(ctx, plugin, {
        values: { [name]: value },
        version,
        at: (pointer) => (pointer.startsWith(own) ? `/value${pointer.slice(own.length)}` : pointer),
      });
      return entry(ctx, found, stored);
    },
    async ofPlugin(ctx, plugin) {
      const shape = shapeOf(plugin);
      if (!shape) return undefined;
      const stored = (await read(ctx.db, ctx.tenant.id, plugin)).get(plugin) ?? nothingStored;
      const schema = jsonSchemaOf(Object.fromEntries(visible(shape)), 'create', { view: 'every-language', refs: undefined });
      return { settings: shown(ctx, plugin, shape, stored), schema, version: stored.version };
    },
    async putPlugin(ctx, plugin, values, version) {
      mayWrite(ctx, shapeOf(plugin) ?? {}, Object.keys(values));
      await write(ctx, plugin, { values, version, at: (pointer) => `/settings${pointer}` });
    },
    storeFields: () =>
      [...shapes()].flatMap(([plugin, shape]) =>
        visible(shape)
          .filter(([, { spec }]) => spec.store)
          .map(([name]) => ({ plugin, name })),
      ),
  };
}

function visible(shape: Shape): [string, Field<unknown, FieldMode>][] {
  return Object.entries(shape).filter(([, field]) => !field.spec.hidden);
}

function mayWrite(ctx: Ctx, shape: Shape, names: readonly string[]): void {
  for (const name of names) {
    const permission = Object.hasOwn(shape, name) ? shape[name]?.spec.sensitive : undefined;
    if (permission && !ctx.can(permission))
      throw new Problem('forbidden', { permission, detail: `The setting ${name} needs the permission ${permission}.` });
  }
}
