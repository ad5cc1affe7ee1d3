import { cleanFileName } from '#platform/files/file-name.ts'

/** Keeps every file within the folder of its version, whatever program unpacks it, and avoids names that Windows reserves. */
export function entryName(version: string, name: string): string {
  const clean = cleanFileName(name)
    .replace(/[<>:"|?*\\/]/g, '_')
    .replace(/[. ]+$/, '')
  const isReserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(clean)
  return `files/${version}/${isReserved || clean === '' || clean.startsWith('.') ? `_${clean}` : clean}`
}
