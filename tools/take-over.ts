import { chmodSync, chownSync, lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Makes a user's folder root's and readable, and then what is in it. The user may have put anything there, and nothing any more once the folder is
 * root's: a link to a file elsewhere would make that one readable. Returns the number of files.
 */
export function takeOver(folder: string): number {
  chownSync(folder, 0, 0)
  chmodSync(folder, 0o755)
  let files = 0
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const found = lstatSync(path)
    if (found.isDirectory()) files += takeOver(path)
    else if (found.isFile() && found.nlink === 1) {
      chownSync(path, 0, 0)
      chmodSync(path, 0o644)
      files += 1
    } else rmSync(path)
  }
  return files
}
