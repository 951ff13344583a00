import { shapeOf } from '../plugins/mount.ts';
import type { UnreadyRoute } from '../plugins/states.ts';
import type { MountedRoute } from './routes.ts';

/**
 * Returns routes in the place of those of plugins that aren't ready, so that the gate says why they aren't served. A route that another plugin
 * has is left to it.
 */
export function unreadyRoutes(routes: readonly UnreadyRoute[], mounted: readonly MountedRoute[]): MountedRoute[] {
  const taken = new Set(mounted.map(({ route, path }) => shapeOf(route.method, path)));
  const made: MountedRoute[] = [];
  for (const { plugin, family, method, path } of routes) {
    const shape = shapeOf(method, path);
    if (taken.has(shape)) continue;
    taken.add(shape);
    const handler = (): never => {
      throw new Error(`${method} ${path} was called although ${plugin} isn't ready`);
    };
    made.push({ family, plugin, path, route: { method, path, options: {}, handler } });
  }
  return made;
}
