import { type Ctx, type FieldError, isMask, maskSecret, Problem, parseBody, problem, type Shape } from '@storeloom/plugin-sdk';
import { configShape, providerKind } from '../provider/providers.ts';

type Config = Record<string, unknown>;

/** Puts `/config` before the pointers of faults. */
async function inConfig<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Problem) || !error.extra.errors) throw error;
    const errors = error.extra.errors.map((fault) => ({ ...fault, pointer: `/config${fault.pointer}` }));
    throw problem(error.code, { ...error.extra, detail: errors.map((e) => `${e.pointer}: ${e.message}`).join('; '), errors });
  }
}

const isSecret = (shape: Shape, name: string): boolean => shape[name]?.spec.kind === 'secret';

/**
 * The config to store: members of the provider only, secrets sealed. A mask that comes back keeps what is stored. What is left out stays
 * (`merge`, of a PATCH) or goes (of a PUT); null clears.
 */
export async function readConfig(
  ctx: Pick<Ctx, 'seal' | 'tenant'>,
  provider: string,
  given: Config,
  stored: Config,
  { merge }: { merge: boolean },
): Promise<Config> {
  const shape = configShape(provider);
  const kept = (name: string): boolean => isSecret(shape, name) && isMask(given[name]);
  const asked = Object.fromEntries(Object.entries(given).filter(([name]) => !kept(name)));
  const parsed = (await inConfig(() => parseBody(shape, asked, { partial: true, tenant: ctx.tenant }))) as Config;
  const config: Config = {};
  for (const name of Object.keys(shape)) {
    const value = parsed[name];
    if (value === null) continue;
    if (value !== undefined) config[name] = isSecret(shape, name) ? ctx.seal(value as string) : value;
    else if ((merge || kept(name)) && stored[name] !== undefined) config[name] = stored[name];
  }
  return config;
}

/** A method that buyers may choose has all that its provider needs: else 422 with the pointers, or 501 where no adapter is built in. */
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

/** The config as staff see it: every member, secrets masked. */
export function showConfig(ctx: Pick<Ctx, 'unseal'>, provider: string, stored: Config): Config {
  const shape = configShape(provider);
  return Object.fromEntries(
    Object.keys(shape).map((name) => {
      const value = stored[name] ?? null;
      return [name, isSecret(shape, name) && typeof value === 'string' ? maskSecret(ctx.unseal(value)) : value];
    }),
  );
}
