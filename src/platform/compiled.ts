import { enableCompileCache, getCompileCacheDir } from 'node:module'
import { dirname, resolve } from 'node:path'

/**
 * Where Node keeps the program as it has compiled it: by user, by version of Node, and with a checksum of each file, so that a changed one
 * is compiled anew. A user who may not write there has what tools/compile-ahead.ts left, or nothing.
 */
export const compiledFolder = resolve(import.meta.dirname, '../../node_modules/.cache/attest')

/** To be called before anything large is loaded: to translate and compile it is a third of a start, and half of a short command. */
export function keepCompiled() {
  enableCompileCache(compiledFolder)
}

/** For a thread with an environment of its own: what its process does, and a thread does not by itself. */
export function compiledForThread(): { NODE_COMPILE_CACHE?: string } {
  // A folder of this user and this Node, in the one that was named.
  const own = getCompileCacheDir()
  return own === undefined ? {} : { NODE_COMPILE_CACHE: dirname(own) }
}
