// Where a run keeps what it throws away.
import { accessSync, constants, readFileSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'

const memory_folder = '/dev/shm'
/** statfs(2): TMPFS_MAGIC. */
const tmpfs = 0x0102_1994
/** A whole run holds less than a quarter of it at once. */
const least_bytes = 8 * 2 ** 30

/**
 * The folder of the machine's memory, where that has room, else that of `TMPDIR`. A test's database is some 300 files: on ext4 without a
 * journal each takes a millisecond to make, because the file system looks through all inodes that were removed lately, and a run removes
 * them by the hundred thousand.
 */
export function temporaryParent(): string {
  if (process.env.TMPDIR) return tmpdir()
  try {
    accessSync(memory_folder, constants.W_OK)
    const { type, bavail, bsize } = statfsSync(memory_folder)
    const hasRoom = type === tmpfs && Math.min(bavail * bsize, freemem()) >= least_bytes
    return hasRoom && isExecutable() ? memory_folder : tmpdir()
  } catch {
    return tmpdir()
  }
}

/** Some tests make programs, and start them. */
function isExecutable() {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
  const [, , , options] = mounts.find(line => line.split(' ')[1] === memory_folder)?.split(' ') ?? []
  return options !== undefined && !options.split(',').includes('noexec')
}
