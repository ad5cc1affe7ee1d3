import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import { noPreferences } from './rules.ts'
import type { UserPreferences } from './schema.ts'

export async function findPreferences(tx: Tx, userId: number): Promise<UserPreferences> {
  const row = await tx
    .selectFrom('user_preferences')
    .select(['document'])
    .select([
      sql<UserPreferences['language']>`language`.as('language'),
      sql<UserPreferences['theme']>`theme`.as('theme'),
    ])
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (!row) return noPreferences
  const { document, ...columns } = row
  return { ...noPreferences, ...(JSON.parse(document) as object), ...columns }
}

/** One person's changes follow one another, so that none is lost. */
export const lockPerson = (tx: Tx, userId: number) =>
  tx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()

export const storePreferences = (
  tx: Tx,
  userId: number,
  { language, theme, document }: Pick<UserPreferences, 'language' | 'theme'> & { document: string },
) =>
  tx
    .insertInto('user_preferences')
    .values({ user_id: userId, language, theme, document })
    .onConflict(conflict =>
      conflict.columns(['tenant_id', 'user_id']).doUpdateSet({ language, theme, document, updated_at: sql`now()` }),
    )
    .execute()
