import { ConfigError } from '@storeloom/keys';

/** Reads a boolean environment variable: undefined if unset, refused unless it is 1 or 0. */
export function switchOf(name: string): boolean | undefined {
  const text = process.env[name]?.trim().toLowerCase() ?? '';
  if (text === '') return undefined;
  if (/^(1|true|yes|on)$/.test(text)) return true;
  if (/^(0|false|no|off)$/.test(text)) return false;
  throw new ConfigError([`${name} is "${process.env[name]}", must be 1 or 0`]);
}
