import { cleanFileName } from '#platform/files/file-name.ts'

/** Keeps every file within its folder, whatever program unpacks it, and avoids names that Windows reserves. */
export function entryName(folder: string, name: string): string {
  const clean = cleanFileName(name)
    .replace(/[<>:"|?*\\/]/g, '_')
    .replace(/[. ]+$/, '')
  const isReserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(clean)
  return `files/${folder}/${isReserved || clean === '' || clean.startsWith('.') ? `_${clean}` : clean}`
}
