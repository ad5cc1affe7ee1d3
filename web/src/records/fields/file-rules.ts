/** "cleaning_of-line 1.pdf" is called "Cleaning of line 1" until somebody says otherwise. */
export function titleOf(fileName: string) {
  const words = fileName
    .replace(/\.[^.]*$/, '')
    .replaceAll(/[_\s]+|(?<=\p{L})-(?=\p{L})/gu, ' ')
    .trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export type FileFault = 'type' | 'size' | 'empty'

interface Limits {
  upload_types: string[]
  max_upload_bytes: number
}

const endingOf = (name: string) => /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''

/** What the service would refuse once it has received all of it. */
export function faultOf({ name, size }: Pick<File, 'name' | 'size'>, limits: Limits): FileFault | undefined {
  if (!limits.upload_types.includes(endingOf(name))) return 'type'
  if (size === 0) return 'empty'
  return size > limits.max_upload_bytes ? 'size' : undefined
}

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte']

/** As the language writes it: "1.4 MB". */
export function sizeInWords(bytes: number, locale: string) {
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10))
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: units[power]!,
    // A byte has no plural in its short form.
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: power > 1 ? 1 : 0,
  }).format(bytes / 1024 ** power)
}
