import { execFile } from 'node:child_process'
import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'

const places = ['/usr/bin/bwrap', '/usr/local/bin/bwrap']
/** The system itself. On most machines all but the first are links into it. */
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/lib32']
/** Fonts, and where the system finds its libraries and programs. The rest of /etc is none of a converter's business. */
const systemFiles = [
  '/etc/ld.so.cache',
  '/etc/alternatives',
  '/etc/fonts',
  '/etc/libreoffice',
  '/etc/paperspecs',
  '/etc/papersize',
]
const probeTimeoutMs = 10_000

/** Whether a sandbox shows this path, which need not exist yet, to the program in it. */
export const isInSystem = (path: string) => {
  let nearest = path
  while (!existsSync(nearest)) nearest = dirname(nearest)
  const real = realpathSync(nearest) + path.slice(nearest.length)
  return systemFolders.some(each => real === each || real.startsWith(`${each}/`))
}

export type SandboxState =
  | { status: 'works' }
  | { status: 'missing' }
  /** bubblewrap is there, and the machine does not let it work. */
  | { status: 'refused'; reason: string }

interface Enclosure {
  program: string
  /** A folder or file that the program consists of, where it is not in /usr. */
  install?: string
  read?: readonly string[]
  write?: readonly string[]
  folder: string
}

export interface Sandbox {
  state(): Promise<SandboxState>
  /**
   * What to put before a command line, so that it sees of the files only the system, its own and the given ones, no other process and no
   * network. Nothing, where there is no sandbox: such a command runs with the rights of the service.
   */
  around(enclosure: Enclosure): Promise<string[]>
}

/** Programs that read files of strangers run in bubblewrap, where it is installed and the machine allows it. */
export function openSandbox(candidates: readonly string[] = places): Sandbox {
  let known: Promise<SandboxState> | undefined
  const find = () => candidates.find(existsSync)

  function state(): Promise<SandboxState> {
    // Installing it needs no restart, and what it was once able to do it still is.
    if (!find()) return Promise.resolve({ status: 'missing' })
    known ??= probe(find()!)
    return known
  }

  return {
    state,
    async around(enclosure) {
      const { status } = await state()
      return status === 'works' ? [find()!, ...flagsOf(enclosure), '--'] : []
    },
  }
}

function probe(bwrap: string): Promise<SandboxState> {
  const parameters = [...flagsOf({ program: '/bin/sh', folder: '/' }), '--', '/bin/sh', '-c', ':']
  const { promise, resolve } = Promise.withResolvers<SandboxState>()
  execFile(bwrap, parameters, { env: {}, timeout: probeTimeoutMs }, (error, _stdout, stderr) => {
    const reason = stderr
      .trim()
      .split('\n')[0]
      ?.replace(/^bwrap: /, '')
    resolve(error ? { status: 'refused', reason: reason || error.message } : { status: 'works' })
  })
  return promise
}

function flagsOf({ program, install, read = [], write = [], folder }: Enclosure): string[] {
  return [
    // Namespaces of its own for all that there are: users, processes, network and the rest. It ends with the service.
    ...['--unshare-all', '--die-with-parent', '--new-session'],
    ...systemFolders.filter(existsSync).flatMap(each =>
      // Relative links stay what they are: lib is usr/lib.
      lstatSync(each).isSymbolicLink() ? ['--symlink', readlinkSync(each), each] : ['--ro-bind', each, each],
    ),
    ...systemFiles.flatMap(each => ['--ro-bind-try', each, each]),
    ...['--dev', '/dev', '--tmpfs', '/tmp', '--dir', '/proc'],
    // Containers forbid a fresh /proc, and LibreOffice only looks whether this file of it is there.
    ...['--ro-bind', program, '/proc/version'],
    ...(install && !isInSystem(install) ? ['--ro-bind', install, install] : []),
    ...read.flatMap(each => ['--ro-bind', each, each]),
    ...write.flatMap(each => ['--bind', each, each]),
    ...['--chdir', folder],
  ]
}
