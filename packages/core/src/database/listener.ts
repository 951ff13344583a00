import pg from 'pg';

export interface Listener {
  close(): Promise<void>;
}

/**
 * LISTEN on a direct connection (not through a pooler). While it is away the process can't hear changes, so on every reconnect all caches are dropped.
 */
export async function listenTo(
  url: string,
  channels: Readonly<Record<string, (payload: string) => void>>,
  onReconnect: () => void,
  onError: (error: Error) => void,
): Promise<Listener> {
  let client: pg.Client | undefined;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  const connect = async (): Promise<void> => {
    const next = new pg.Client({ connectionString: url, application_name: 'storeloom-listen', keepAlive: true });
    next.on('error', (error) => {
      onError(error);
      retry();
    });
    next.on('notification', ({ channel, payload }) => channels[channel]?.(payload ?? ''));
    await next.connect();
    for (const channel of Object.keys(channels)) await next.query(`listen ${next.escapeIdentifier(channel)}`);
    client = next;
  };
  const retry = (): void => {
    if (closed || timer) return;
    client?.end().catch(onError);
    client = undefined;
    timer = setTimeout(() => {
      timer = undefined;
      connect().then(onReconnect, (error: Error) => {
        onError(error);
        retry();
      });
    }, 500);
  };
  await connect();
  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      await client?.end();
    },
  };
}
