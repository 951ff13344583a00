import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Bytes that a client must take in each window of `ms` milliseconds. */
export interface ReadingSpeed {
  ms: number;
  bytes: number;
}
/** About 1 KB/s. */
const slowestReader: ReadingSpeed = { ms: 30_000, bytes: 32 * 1024 };

/** Internals of a socket's handle. */
interface Handle {
  /** Bytes given to the operating system, or waiting for it. */
  bytesWritten: number;
  writeQueueSize: number;
}
/** Returns the bytes that the operating system has taken. `writableLength` counts a large text until its last byte is taken. */
function takenBy(socket: Socket): number {
  // cast: Node's types leave the handle out; no public property counts the bytes that were taken.
  const { _handle: handle } = socket as unknown as { _handle: Handle | null };
  return handle ? handle.bytesWritten - handle.writeQueueSize : socket.bytesWritten;
}

/** Destroys the connection of a client that reads a response too slowly: sockets, buffers and open files belong to it. */
export function endSlowReader(res: ServerResponse, { ms, bytes }: ReadingSpeed = slowestReader): void {
  const { socket } = res;
  if (!socket) return;
  let before = takenBy(socket);
  const judge = (): void => {
    const now = takenBy(socket);
    if (res.writableLength > 0 && now - before < bytes) socket.destroy();
    before = now;
  };
  // After a busy event loop, what the client took meanwhile counts: it is read after the timers.
  const timer = setInterval(() => setImmediate(judge), ms);
  timer.unref();
  res.once('close', () => clearInterval(timer));
}
