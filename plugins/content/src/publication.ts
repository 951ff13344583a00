import { invalid } from '@storeloom/plugin-sdk';
import { defineMachine } from '@storeloom/plugin-sdk/state';

export const statuses = ['draft', 'scheduled', 'published', 'archived'] as const;
export type Status = (typeof statuses)[number];

/** What staff may do with a page or post. What is archived stays so. */
export const machine = defineMachine({
  start: 'draft',
  states: statuses,
  moves: {
    schedule: { from: ['draft'], to: 'scheduled', route: false },
    publish: { from: ['draft', 'scheduled'], to: 'published', route: false },
    withdraw: { from: ['scheduled', 'published'], to: 'draft', route: false },
    archive: { from: ['draft', 'scheduled', 'published'], to: 'archived', route: false },
  },
});

/** As it is asked for: `given` is undefined where the request doesn't name a time. Instants. */
export interface Publication {
  status: Status;
  given: string | null | undefined;
  kept: string | null;
  now: string;
}

/** The time of publication that is stored. 422 where it doesn't go with the status. */
export function publishTime({ status, given, kept, now }: Publication): string | null {
  const wanted = given === undefined ? kept : given;
  if (status === 'scheduled') {
    if (wanted === null) throw invalid('/publishAt', 'required', 'is required for the status scheduled');
    if (wanted <= now) throw invalid('/publishAt', 'in_past', 'must be in the future for the status scheduled');
    return wanted;
  }
  if (status === 'published') {
    if (typeof given === 'string' && given > now)
      throw invalid('/publishAt', 'in_future', 'must not be in the future; use the status scheduled');
    return wanted !== null && wanted <= now ? wanted : now;
  }
  return wanted;
}
