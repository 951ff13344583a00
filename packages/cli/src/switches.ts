import { ConfigError } from '@storeloom/core';

/** A switch of the environment: undefined where it isn't set, refused where it is neither yes nor no. */
export function switchOf(name: string): boolean | undefined {
  const text = process.env[name]?.trim().toLowerCase() ?? '';
  if (text === '') return undefined;
  if (/^(1|true|yes|on)$/.test(text)) return true;
  if (/^(0|false|no|off)$/.test(text)) return false;
  throw new ConfigError([`${name} is "${process.env[name]}", must be 1 or 0`]);
}
