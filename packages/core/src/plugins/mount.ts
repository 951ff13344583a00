import {
  authenticator,
  type Field,
  type FieldMode,
  isResource,
  isShape,
  type Plugin,
  type Resource,
  type Route,
  type Shape,
} from '@storeloom/plugin-sdk';
import { normalPath, prefixes } from '../http/routes.ts';
import type { ContributedRoute } from './contributed.ts';
import { type RouterRoute, routesOfRouter } from './router.ts';

type Wrong = (problem: string) => void;

/** Prefixes of the families: a system route must not be under any of them, to bypass their rules. */
const reserved = [...new Set(Object.values(prefixes).filter((prefix) => prefix !== '')), '/api/v1'];

const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
const pathPattern = /^(\/([\w.~-]+|\{[a-zA-Z]\w*\}))*\/?$/;

/** Only the plugin that provides the authenticator can have admin routes without a bearer token: the steps of a sign-in. */
const authenticates = ({ provides = [] }: Plugin): boolean => provides.some(([{ id }]) => id === authenticator.id);

/** Returns the form by which paths conflict: the names of parameters are ignored. */
export const shapeOf = (method: string, path: string): string => `${method} ${normalPath(path).replace(/\{\w+\}/g, '{}')}`;

export interface Mounted {
  readonly routes: ContributedRoute[];
  readonly permissions: Map<string, string>;
  readonly borrowed: Set<string>;
}

/** Returns every route of a plugin with its full path; those of auth and storefront also under `/api/v1`. */
export function mountRoutes(name: string, plugin: Plugin, wrong: Wrong): Mounted {
  const routes: ContributedRoute[] = [];
  const permissions = new Map<string, string>();
  const borrowed = new Set<string>();
  const mayOpen = authenticates(plugin);
  for (const [permission, title] of Object.entries(plugin.permissions ?? {})) {
    if (!permission.startsWith(`${name}.`)) wrong(`the permission ${permission} must begin with ${name}.`);
    else if (isPermission(permission, wrong)) permissions.set(permission, title);
  }
  const families: [RouterRoute['family'], readonly (Resource | Route)[]][] = [
    ['admin', plugin.admin ?? []],
    ['storefront', plugin.storefront ?? []],
    ['super-admin', plugin.superAdmin ?? []],
    ['auth', plugin.auth ?? []],
    ['system', plugin.system ?? []],
  ];
  const declared = [
    ...families.flatMap(([family, items]) =>
      items.flatMap((item) => (isResource(item) ? item.routes(name) : [item])).map((route) => ({ family, route })),
    ),
    ...routesOfRouter(plugin, wrong),
  ];
  for (const entry of declared) {
    const { family, route } = entry;
    const fullPath = `${prefixes[family]}${route.path}`;
    const label = `${route.method} ${fullPath}`;
    if (!methods.has(route.method)) wrong(`${label}: ${route.method} is no method of a route`);
    checkPath(route.path, label, wrong);
    if (family === 'system' && reserved.some((prefix) => isUnder(fullPath, prefix)))
      wrong(`${label} belongs to a family of routes; a system route may not lie there`);
    if (family === 'storefront') checkStorefront(route, label, wrong);
    if (family === 'admin') checkAdmin(name, route, label, { permissions, borrowed, mayOpen }, wrong);
    routes.push({ ...entry, plugin: name, path: normalPath(fullPath), fullPath, mirror: false });
    if ((family === 'auth' || family === 'storefront') && route.options.mirror !== false) {
      const mirrored = `/api/v1${fullPath.slice('/api'.length)}`;
      routes.push({ ...entry, plugin: name, path: normalPath(mirrored), fullPath: mirrored, mirror: true });
    }
  }
  return { routes, permissions, borrowed };
}

/** Returns the path of dashboard figures. */
export function statsPath(name: string, wrong: Wrong): string {
  const path = `${prefixes.admin}/dashboard/${name}-stats`;
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) wrong(`${name} is no name of a figure`);
  return path;
}

export function webhookPath(key: string, wrong: Wrong): string {
  const path = `${prefixes.webhooks}/${key}`;
  checkPath(`/${key}`, path, wrong);
  return path;
}

function checkPath(path: string, label: string, wrong: Wrong): void {
  if (!path.startsWith('/') || !pathPattern.test(path) || path.split('/').some((part) => part === '.' || part === '..'))
    wrong(`${label} is no path: segments are text or {name}`);
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
  if (new Set(names).size < names.length) wrong(`${label} has two parameters of one name`);
}

const isUnder = (path: string, prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`);

/** Rejects private fields in the response of a storefront route. */
function checkStorefront({ options: { response } }: Route, label: string, wrong: Wrong): void {
  if (!response || !isShape(response)) return;
  for (const member of privateMembers(response)) wrong(`${label} answers with the private member ${member}`);
}
function privateMembers(shape: Shape, at = ''): string[] {
  return Object.entries(shape).flatMap(([name, field]) => privateIn(field, `${at}${name}`));
}
function privateIn({ spec }: Field<unknown, FieldMode>, name: string): string[] {
  if (spec.private) return [name];
  return [...(spec.item ? privateIn(spec.item, name) : []), ...(spec.shape ? privateMembers(spec.shape, `${name}.`) : [])];
}

/** Requires a permission for every admin route: of the plugin itself, or declared by another. */
function checkAdmin(
  name: string,
  { options: { permission, auth, summary } }: Route,
  label: string,
  { permissions, borrowed, mayOpen }: Omit<Mounted, 'routes'> & { mayOpen: boolean },
  wrong: Wrong,
): void {
  const open = auth === 'open';
  if (open && !mayOpen)
    wrong(`${label} may not be open: only the plugin that provides ${authenticator.id} has admin routes without a bearer token`);
  if (auth !== undefined && !open) wrong(`${label} has auth: ${auth}, which is for storefront routes`);
  if (permission === undefined) {
    if (!open) wrong(`${label} names no permission`);
    return;
  }
  if (!permission.startsWith(`${name}.`)) borrowed.add(permission);
  else if (isPermission(permission, wrong) && !permissions.has(permission)) permissions.set(permission, summary ?? permission);
}

function isPermission(permission: string, wrong: Wrong): boolean {
  const fits = /^[a-z][a-z0-9-]*\.[a-z][\w-]*\.[a-z][\w-]*$/i.test(permission);
  if (!fits) wrong(`the permission ${permission} must be <plugin>.<resource>.<action>`);
  return fits;
}
