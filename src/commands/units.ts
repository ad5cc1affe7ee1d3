const units = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** For people: 1.2 GB. */
export function inUnits(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1)
  return `${power === 0 ? bytes : (bytes / 1000 ** power).toFixed(1)} ${units[power]}`
}
