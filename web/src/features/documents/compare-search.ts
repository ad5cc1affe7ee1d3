import { textOf } from '../../app/addresses.ts'

export interface CompareSearch {
  /** Missing: the version before `to`. */
  from?: string | undefined
  /** Missing: the newest one. */
  to?: string | undefined
}

export function compareSearch({ from, to }: Record<string, unknown>): CompareSearch {
  const label = (value: unknown) => (/^\d+\.\d+$/.test(textOf(value)) ? textOf(value) : undefined)
  return { ...(label(from) && { from: label(from) }), ...(label(to) && { to: label(to) }) }
}

/** The two versions of an address among those that there are, newest first; what is missing in it is the newest, and the one before. */
export function chosenVersions(labels: readonly string[], { from, to }: CompareSearch) {
  const newer = to ?? labels.find(each => each !== from)
  const older = from ?? labels[newer === undefined ? 0 : labels.indexOf(newer) + 1]
  return newer === undefined || older === undefined ? undefined : { from: older, to: newer }
}
