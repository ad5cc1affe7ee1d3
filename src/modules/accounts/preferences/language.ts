import type { PrepareContext } from '#action'
import type { Language } from '#kernel/message.ts'
import { readSettings } from '../tenants/settings.ts'
import { findPreferences } from './queries.ts'

/** The language of a file that is made for one reader: the one that the request names, else the person's own, else the company's. */
export async function readerLanguage({
  origin,
  actor,
  read,
}: Pick<PrepareContext, 'origin' | 'actor' | 'read'>): Promise<Language> {
  if (origin.language) return origin.language
  return read(async tx => {
    const { language } = actor.userId === null ? { language: null } : await findPreferences(tx, actor.userId)
    return language ?? (await readSettings(tx)).language
  })
}
