import type { Prepared } from '@storeloom/core';

type States = ReturnType<Prepared['registry']['states']>;
type State = States[number];

/** Returns a line of a reason: `what`, or the text after `why` or `fix`. */
function part(message: string, label: 'what' | 'why' | 'fix'): string | undefined {
  if (label === 'what') return message.split('\n', 1)[0];
  return new RegExp(`^  ${label}\\s+(.+)$`, 'm').exec(message)?.[1];
}

/** Returns the plugin whose state is the cause of another's: the required one that isn't ready, or the plugin itself. */
function rootOf(state: State, byName: ReadonlyMap<string, State>, seen = new Set<string>()): State {
  seen.add(state.name);
  if (state.state !== 'blocked') return state;
  const required = state.requires
    .map((name) => byName.get(name))
    .find((each) => each && each.state !== 'ready' && !seen.has(each.name));
  return required ? rootOf(required, byName, seen) : state;
}

/** Returns the cause of a state: the same for all plugins that it affects. */
function causeOf({ name, entitlement, state, reason }: State): string {
  if (!reason) return state;
  const text = part(reason.message, 'why') ?? part(reason.message, 'what') ?? '';
  // The text names what the licence lacks, plugin by plugin.
  const cause = state === 'unlicensed' ? text.replaceAll(new RegExp(`\\b(?:${entitlement}|${name})\\b`, 'g'), '…') : text;
  const fix = part(reason.message, 'fix');
  return `${reason.code}  ${cause}${fix === undefined ? '' : ` (fix: ${fix})`}`;
}

/**
 * Returns a line for each cause for which plugins aren't ready, with the plugins that it affects. Foundation plugins that aren't installed are
 * left out.
 */
export function unreadyLines(states: States): string[] {
  const byName = new Map(states.map((state) => [state.name, state]));
  const unready = states.filter(({ state, foundation }) => state !== 'ready' && !(foundation && state === 'not_installed'));
  const causes = new Map<string, { state: string; names: string[]; blocked: string[] }>();
  for (const each of unready) {
    const root = rootOf(each, byName);
    const cause = causeOf(root);
    const known = causes.get(`${root.state} ${cause}`) ?? { state: root.state, names: [], blocked: [] };
    causes.set(`${root.state} ${cause}`, known);
    (root === each ? known.names : known.blocked).push(each.name);
  }
  return [...causes].map(([key, { state, names, blocked }]) => {
    const cause = key.slice(state.length + 1);
    const dependants = blocked.length > 0 ? `; blocked by it: ${blocked.join(', ')}` : '';
    return `${state}: ${names.join(', ')}: ${cause}${dependants}`;
  });
}

/** Returns the line about the licence; undefined if it is in force. */
export function licenceLine({ licence }: Pick<Prepared, 'licence'>): string | undefined {
  const { problem } = licence;
  if (problem) return `licence: ${problem.code}  ${problem.message.replace(/\s*\n\s*/g, ' · ')}`;
  const { state, expiresAt } = licence.view();
  switch (state) {
    case 'none':
      return 'licence: none. Only the foundation plugins are on. Run storeloom license activate <key>, then start again.';
    case 'expired':
    case 'revoked':
      return `licence: ${state}${expiresAt === null ? '' : ` (${expiresAt.slice(0, 10)})`}. Plugins that were on stay on; nothing new can be installed or switched on. Renew it.`;
    case 'grace':
    case 'renewal_due':
      return `licence: ${state}${expiresAt === null ? '' : ` (ends ${expiresAt.slice(0, 10)})`}. Renew it.`;
    default:
      return undefined;
  }
}
