import type { IncomingMessage, ServerResponse } from 'node:http';
import Koa from 'koa';
import { type RegistryRequest, registryRoutes, requestOf } from '../src/request.ts';

const app = new Koa();

/** A request that has passed the routes, and what they take it for. */
export function routed(
  method: string,
  url: string,
  headers: IncomingMessage['headers'] = {},
  remoteAddress = '10.0.0.1',
): { req: IncomingMessage; request: RegistryRequest | undefined } {
  const req = { method, url, headers, socket: { remoteAddress } } as unknown as IncomingMessage;
  void registryRoutes(app.createContext(req, {} as ServerResponse), async () => undefined);
  return { req, request: requestOf(req) };
}
