import type { Ctx } from '@storeloom/plugin-sdk';
import { currentAutomatic } from '../promotion/load.ts';

/** Whether a catalogue promotion may change catalogue prices now. */
export async function pricesVary(ctx: Ctx): Promise<true | undefined> {
  return (await currentAutomatic(ctx)).some((rule) => rule.stage === 'catalog') || undefined;
}
