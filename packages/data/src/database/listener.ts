import pg from 'pg';

export interface Listener {
  /** False while notifications of other processes can't be received. */
  readonly hears: boolean;
  close(): Promise<void>;
}

/**
 * Listens on a direct connection, not through a pooler. Notifications are lost while it is disconnected, so every reconnect drops all caches.
 */
export async function listen(
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
      if (closed) return;
      onError(error);
      retry();
    });
    next.on('notification', ({ channel, payload }) => channels[channel]?.(payload ?? ''));
    try {
      await next.connect();
      for (const channel of Object.keys(channels)) await next.query(`listen ${next.escapeIdentifier(channel)}`);
    } catch (error) {
      await next.end().catch(() => undefined);
      throw error;
    }
    if (closed) await next.end();
    else client = next;
  };
  const retry = (): void => {
    if (closed || timer) return;
    client?.end().catch(onError);
    client = undefined;
    timer = setTimeout(() => {
      timer = undefined;
      connect().then(
        () => closed || onReconnect(),
        (error: Error) => {
          if (closed) return;
          onError(error);
          retry();
        },
      );
    }, 500);
  };
  await connect();
  return {
    get hears() {
      return client !== undefined;
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await client?.end();
    },
  };
}
