/** A version of Attest has a whole number and one behind the point. Of before there are also `03`, `Rev. 2`, `V1.1` and letters. */
export interface Label {
  major: number
  minor: number
}

export function labelFrom(text: string): Label | undefined {
  const plain = text.trim().replace(/^(version|ver|v|revision|rev|r|ausgabe|index)[.\s]*(?=[\dA-Z])/i, '')
  if (/^[A-Za-z]$/.test(plain)) return { major: plain.toUpperCase().charCodeAt(0) - 64, minor: 0 }
  const [, major, minor = '0'] = /^0*(\d{1,6})(?:[.,]0*(\d{1,6}))?$/.exec(plain) ?? []
  return major === undefined || Number(major) === 0 ? undefined : { major: Number(major), minor: Number(minor) }
}

export const labelText = ({ major, minor }: Label) => `${major}.${minor}`

/** As rows name a version, whatever they write; a text that is no version stays as it is. */
export const labelKey = (text: string | null) => {
  if (text === null) return ''
  const label = labelFrom(text)
  return label ? labelText(label) : text.trim()
}

export const isBehind = (one: Label, other: Label) => one.major - other.major || one.minor - other.minor
