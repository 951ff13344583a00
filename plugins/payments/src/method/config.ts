import { type Ctx, type FieldError, isMask, maskSecret, Problem, parseBody, problem, type Shape } from '@storeloom/plugin-sdk';
import { configShape, providerKind } from '../provider/providers.ts';

type Config = Record<string, unknown>;

/** Prefixes error pointers with `/config`. */
async function withConfigPointers<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Problem) || !error.extra.errors) throw error;
    const errors = error.extra.errors.map((each) => ({ ...each, pointer: `/config${each.pointer}` }));
    throw problem(error.code, { ...error.extra, detail: errors.map((e) => `${e.pointer}: ${e.message}`).join('; '), errors });
  }
}

const isSecret = (shape: Shape, name: string): boolean => shape[name]?.spec.kind === 'secret';

/**
 * Returns the config to store: only fields of the provider, secrets sealed. A masked secret keeps its stored value. Absent fields
 * are kept (`merge`, PATCH) or removed (PUT); null removes.
 */
export async function readConfig(
  ctx: Pick<Ctx, 'seal' | 'tenant'>,
  provider: string,
  given: Config,
  stored: Config,
  { merge }: { merge: boolean },
): Promise<Config> {
  const shape = configShape(provider);
  const isMasked = (name: string): boolean => isSecret(shape, name) && isMask(given[name]);
  const submitted = Object.fromEntries(Object.entries(given).filter(([name]) => !isMasked(name)));
  const parsed = (await withConfigPointers(() => parseBody(shape, submitted, { partial: true, tenant: ctx.tenant }))) as Config;
  const config: Config = {};
  for (const name of Object.keys(shape)) {
    const value = parsed[name];
    if (value === null) continue;
    if (value !== undefined) config[name] = isSecret(shape, name) ? ctx.seal(value as string) : value;
    else if ((merge || isMasked(name)) && stored[name] !== undefined) config[name] = stored[name];
  }
  return config;
}

/**
 * Checks that an enabled method has all fields that its provider needs: otherwise 422 with pointers, or 501 without a built-in
 * adapter.
 */
export function checkUsable(provider: string, config: Config): void {
  const { online, adapter } = providerKind(provider);
  if (!online) return;
  if (!adapter)
    throw problem('provider_not_configured', {
      provider,
      detail: `This installation has no adapter for ${provider}.`,
    });
  const errors: FieldError[] = adapter.required
    .filter((name) => config[name] === undefined)
    .map((name) => ({ pointer: `/config/${name}`, code: 'required', message: 'is required to enable the method' }));
  if (errors.length > 0)
    throw problem('validation_failed', {
      detail: `The method can't be enabled without ${errors.map((e) => e.pointer.slice('/config/'.length)).join(', ')}.`,
      errors,
    });
}

/** The config for responses: every field, secrets masked. */
export function showConfig(ctx: Pick<Ctx, 'unseal'>, provider: string, stored: Config): Config {
  const shape = configShape(provider);
  return Object.fromEntries(
    Object.keys(shape).map((name) => {
      const value = stored[name] ?? null;
      return [name, isSecret(shape, name) && typeof value === 'string' ? maskSecret(ctx.unseal(value)) : value];
    }),
  );
}
