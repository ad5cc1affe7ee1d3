import { defineMessages } from '#kernel/message.ts'

type File = {
  file: string
}
type Swept = {
  tenant: number
  files: number
  size: string
  is_dry: boolean
}

const swept =
  (where: string) =>
  ({ tenant, files, size, is_dry }: Swept) =>
    `tenant ${tenant}: ${files} files (${size}) ${is_dry ? 'would go ' : ''}${where}`

export const lines = defineMessages({
  store_failed: ({ place, reason }: { place: string; reason: string }) => `${place}: ${reason}`,
  storage_same_store: ({ place }: { place: string }) =>
    `The files are in ${place} already. Name another store with --to, or by variables that begin with TARGET_`,
  storage_moving: ({ files, size, from, to }: { files: number; size: string; from: string; to: string }) =>
    `${files} files, ${size}: from ${from} to ${to}`,
  storage_verifying: ({ files, size, place }: { files: number; size: string; place: string }) =>
    `${files} files, ${size}: reading them in ${place}`,
  storage_progress: (at: Record<'files' | 'of', number> & Record<'size' | 'of_size' | 'speed' | 'time_left', string>) =>
    `${at.files} of ${at.of} files, ${at.size} of ${at.of_size}, ${at.speed}/s, about ${at.time_left} left`,
  storage_move_stopped: ({ reason, files }: { reason: string; files: number }) =>
    `${reason}\nIt ended after ${files} files. When the problem is solved, the same command continues from there`,
  storage_moved: ({ copied, replaced, there }: { copied: number; replaced: number; there: number }) =>
    `${copied} files copied, ${replaced} replaced, ${there} were there`,
  storage_verified: ({ files }: { files: number }) => `${files} files match their records`,
  storage_move_to_finish: ({ type }: { type: string }) =>
    `All of them were read back and verified. If the service ran meanwhile, stop it and run the command again, which copies the new files. Then set STORAGE_TYPE=${type} and start.`,
  storage_faults: ({ count }: { count: number }) => `${count} files are missing or not what was recorded:`,
  storage_file_replaced: ({ file }: File) => `${file}: the target had another file, which was replaced`,
  storage_file_missing: ({ file }: File) => `${file}: it is missing`,
  storage_file_length_differs: ({ file, found, expected }: File & { found: number; expected: number }) =>
    `${file}: it has ${found} bytes, and ${expected} were recorded`,
  storage_file_differs: ({ file }: File) => `${file}: its SHA-256 is not what was recorded`,
  storage_source_missing: ({ file }: File) => `${file}: the source does not have it`,
  storage_source_differs: ({ file }: File) => `${file}: the source has other bytes than were recorded`,
  storage_target_differs: ({ file }: File) => `${file}: the target does not give back what was written to it`,

  storage_sweep_nothing: ({ tenant }: { tenant: number }) => `tenant ${tenant}: nothing to sweep`,
  storage_sweep_suspicious: ({ tenant, named, unknown }: { tenant: number; named: number; unknown: number }) =>
    `Records of tenant ${tenant} name ${named} files, and ${unknown} or more have no record. Is this the store of the database? With --force they go to the trash`,
  storage_sweep_trash: swept('to the trash'),
  storage_sweep_remove: swept('out of the trash, for good'),
  storage_sweep_put_back: swept('back from the trash'),
})
