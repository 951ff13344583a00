import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Who runs the server processes. Undefined: the user of this process. */
export type ServerUser = { uid: number; gid: number } | undefined;

const statOrUndefined = (path: string) => statSync(path, { throwIfNoEntry: false });

/**
 * PostgreSQL refuses to run as root. So root runs it as the owner of the first of `folders` that exists and isn't root's, else as
 * the user who called sudo, else as `nobody`. Any other user runs it as itself.
 */
export function serverUser(folders: readonly string[]): ServerUser {
  if (process.getuid?.() !== 0) return undefined;
  for (const folder of folders) {
    const stat = statOrUndefined(folder);
    if (stat && stat.uid !== 0) return { uid: stat.uid, gid: stat.gid };
  }
  const { SUDO_UID, SUDO_GID } = process.env;
  if (Number(SUDO_UID) > 0 && Number(SUDO_GID) > 0) return { uid: Number(SUDO_UID), gid: Number(SUDO_GID) };
  // initdb looks its user up by name, so a made-up number does not do.
  const account = /^nobody:[^:]*:([1-9]\d*):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
  if (!account) throw new Error('PostgreSQL does not run as root, and /etc/passwd has no user `nobody` to run it as');
  return { uid: Number(account[1]), gid: Number(account[2]) };
}

/** Whether `user` may enter every folder above `path`. Access lists and groups beyond the first are not looked at. */
export const canReach = (path: string, user: ServerUser): boolean => closedFolders(path, user).length === 0;

/** The folders above `path` that `user` may not enter, the outermost first. */
export function closedFolders(path: string, user: ServerUser): string[] {
  if (!user) return [];
  const may = (folder: string): boolean => {
    const stat = statOrUndefined(folder);
    if (!stat) return true;
    if (stat.uid === user.uid) return (stat.mode & 0o100) !== 0;
    if (stat.gid === user.gid) return (stat.mode & 0o010) !== 0;
    return (stat.mode & 0o001) !== 0;
  };
  const closed: string[] = [];
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    if (!may(folder)) closed.unshift(folder);
    if (folder === dirname(folder)) return closed;
  }
}
