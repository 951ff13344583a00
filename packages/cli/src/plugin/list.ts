import type { InstallationOptions } from '../installation.ts';
import type { Lifetime } from '../lifetime.ts';
import { print, say } from '../output.ts';
import { openBeside } from '../platform.ts';
import { unreadyLines } from '../unready.ts';

/** Lists the plugins with their states. Exit codes: 0 · 3 a plugin isn't ready; its cause is printed. */
export async function pluginList(options: InstallationOptions & { json?: boolean }, life: Lifetime): Promise<number> {
  const prepared = await openBeside(options, life);
  const states = prepared.registry.states();
  if (options.json)
    print(
      states.map(({ name, package: pkg, version, state, entitlement, foundation, requires, reason }) => ({
        name,
        package: pkg,
        version,
        state,
        entitlement,
        foundation,
        requires,
        reason,
      })),
    );
  else {
    const widest = Math.max(...states.map(({ name }) => name.length));
    for (const { name, version, state, package: pkg } of states)
      print(`${name.padEnd(widest)}  ${(version ?? '–').padEnd(10)} ${state.padEnd(13)} ${pkg}`);
    for (const line of unreadyLines(states)) say(line);
  }
  return unreadyLines(states).length > 0 ? 3 : 0;
}
