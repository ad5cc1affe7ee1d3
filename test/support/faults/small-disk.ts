// A small file system of its own, in memory: how a disk gets full.
import { spawnSync } from 'node:child_process'

export const noSmallDisk = 'a disk can only be filled by who may mount one'

/** On a folder that is there. Undefined where nobody may mount one: the test is skipped, and says `noSmallDisk`. */
export function mountSmallDisk(folder: string, size: string) {
  const mount = (...options: string[]) => spawnSync('mount', [...options, 'tmpfs', folder]).status === 0
  if (!mount('-t', 'tmpfs', '-o', `size=${size},mode=0777`)) return undefined
  return {
    grow(size: string) {
      if (!mount('-o', `remount,size=${size}`)) throw new Error(`${folder} cannot be made larger`)
    },
    unmount() {
      // A process that has just ended may hold a file of it for a moment longer.
      for (let tries = 0; spawnSync('umount', [folder]).status !== 0; tries++) {
        if (tries === 50) throw new Error(`${folder} cannot be unmounted`)
        spawnSync('sleep', ['0.1'])
      }
    },
  }
}
