import { cleanFileName } from '#platform/files/file-name.ts'

/** Nobody's file name leads out of the folder of its version, whatever program unpacks it, or is one that Windows keeps for itself. */
export function entryName(version: string, name: string): string {
  const clean = cleanFileName(name)
    .replace(/[<>:"|?*\\/]/g, '_')
    .replace(/[. ]+$/, '')
  const isReserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(clean)
  return `files/${version}/${isReserved || clean === '' || clean.startsWith('.') ? `_${clean}` : clean}`
}
