import { service } from '../token.ts';

export interface GuardedHttp {
  /** Whether `fetch` would connect now: 422 `validation_failed` with the same codes where not, and `host_unanswered` where no name server answers. For an address that is to be kept. */
  check(url: string): Promise<void>;
  /** fetch through the guard: public https addresses only, no redirects, size and time capped. */
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
export const http = service<GuardedHttp>('kernel:http');
