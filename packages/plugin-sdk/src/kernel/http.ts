import { service } from '../token.ts';

/** Makes outgoing requests to addresses given by users, protected against server-side request forgery. */
export interface GuardedHttp {
  /**
   * Checks an address that is to be stored: whether `fetch` would connect to it now.
   *
   * @throws Problem 422 `validation_failed`, with the code `host_unanswered` if the name can't be resolved
   */
  check(url: string): Promise<void>;
  /**
   * Sends a request to a public https address. Redirects are not followed; size and time are limited.
   *
   * @throws Problem 422 `validation_failed` for an address that isn't allowed
   */
  fetch(
    url: string,
    options?: {
      method?: string;
      headers?: Record<string, string>;
      body?: string | Buffer;
      timeoutMs?: number;
      maxBytes?: number;
    },
  ): Promise<{ status: number; headers: Record<string, string>; body: Buffer }>;
}
/** Service token of `GuardedHttp`. */
export const http = service<GuardedHttp>('kernel:http');
