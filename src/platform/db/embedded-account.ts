import { spawnSync } from 'node:child_process'
import { chownSync, statSync } from 'node:fs'

/** The account and command to start PostgreSQL, which refuses to run as root. */
export interface Account {
  name: string
  prefix: string[]
  ids: { uid?: number; gid?: number }
}

// A user namespace, in which the files stay root's and the program runs as user 1, which every system has (initdb needs its name). It
// needs no rights on the parents of the folder, so it works below a closed /root too. Containers often forbid it.
const namespace: Account = {
  name: 'root in a user namespace',
  prefix: ['unshare', '--user', '--map-user=1', '--map-group=1', '--'],
  ids: {},
}
const asIs: Account = { name: 'the user that started this program', prefix: [], ids: {} }

/**
 * The account that PostgreSQL runs as on the existing `folder`: its owner, unless that is root. For root, the namespace is preferred to an
 * account such as `postgres`, whose other programs could read the records and connect without a password. Such an account is for a new
 * folder only; the owner of an old one is never changed.
 */
export function findAccount(folder: string, postgres: string, { isNew = false } = {}): Account {
  const refusals: string[] = []
  for (const account of candidates(statSync(folder), isNew)) {
    if (isNew && account.ids.uid) chownSync(folder, account.ids.uid, account.ids.gid!)
    const [command, ...rest] = [
      ...account.prefix,
      'sh',
      '-c',
      'id -un && test -w "$0" && exec "$1" --version',
      folder,
      postgres,
    ]
    const { status, stderr, error } = spawnSync(command!, rest, { ...account.ids, cwd: '/', encoding: 'utf8' })
    if (status === 0) return account
    refusals.push(`- ${account.name}: ${error?.message ?? (stderr.trim() || 'cannot write the folder')}`)
  }
  throw new Error(
    [
      isRoot()
        ? 'PostgreSQL does not run as root, and found no other way to run here:'
        : 'PostgreSQL found no way to run here:',
      ...refusals,
      'Set DATA_DIR to a folder that an unprivileged user owns and can reach, or DATABASE_URL to a server of yours.',
    ].join('\n'),
  )
}

function candidates(folder: { uid: number; gid: number }, isNew: boolean): Account[] {
  if (!isRoot()) return [asIs, namespace]
  if (folder.uid !== 0)
    return [{ name: `the folder's owner, ${folder.uid}`, prefix: [], ids: { uid: folder.uid, gid: folder.gid } }]
  return isNew ? [namespace, ...['postgres', 'node'].flatMap(known)] : [namespace]
}

function known(name: string): Account[] {
  const [uid, gid] = ['-u', '-g'].map(flag => Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout || NaN))
  return uid && gid ? [{ name: `account ${name}`, prefix: [], ids: { uid, gid } }] : []
}

const isRoot = () => process.getuid?.() === 0
