import type { FileStorage } from './storage.ts'

/** The mark of a store: the installation that its files belong to. */
export interface Mark {
  installation: string
  /** The signing key at the time of marking. Only its holder may finish a first start that was cut off. */
  signing_key?: string | undefined
}

export async function readMark(storage: Pick<FileStorage, 'readMark'>): Promise<Mark | undefined> {
  const text = await storage.readMark()
  return text === undefined ? undefined : parseMark(text)
}

export const markText = (mark: Mark) => `${JSON.stringify(mark, null, 2)}\n`

/** Throws on an invalid mark: if it counted as missing, the next process would replace it by its own. */
export function parseMark(text: string): Mark {
  const { installation, signing_key } = fieldsOf(text)
  if (typeof installation !== 'string' || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(installation))
    throw new Error('its installation.json names no installation: bring back that file from a copy')
  return { installation, ...(typeof signing_key === 'string' && { signing_key }) }
}

function fieldsOf(text: string): Record<string, unknown> {
  try {
    return { ...JSON.parse(text) }
  } catch {
    return {}
  }
}
