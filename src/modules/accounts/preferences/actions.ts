import { command, query } from '#action'
import { invalidField } from '#kernel/errors.ts'
import { messages } from '../messages.ts'
import { findPreferences, lockPerson, storePreferences } from './queries.ts'
import { changedFields, isTooDeep, maxDepth, maxDocumentBytes } from './rules.ts'
import { UserPreferences, UserPreferencesUpdate } from './schema.ts'

const permission = 'account.manage_own'

export const preferences = query({
  summary: 'Read your preferences',
  description: 'Language, theme, and what the pages remember for you. A field is null until it is chosen.',
  permission,
  input: {},
  response: UserPreferences,
  run: ({ tx, actor }) => findPreferences(tx, actor.userId!),
})

/** The audit trail says what was changed, and not what a saved view or a column is now: how pages look decides about no record. */
export const changePreferences = command({
  summary: 'Change your preferences',
  description: `A field that is left out stays as it is, and null forgets it. \`views\`, \`columns\` and \`layout\` take any JSON, together up to ${maxDocumentBytes / 1024} kB.`,
  permission,
  input: { body: UserPreferencesUpdate },
  response: UserPreferences,
  mayRecordNothing: true,
  async run({ tx, actor, record }, { body }) {
    const userId = actor.userId!
    for (const field of ['views', 'columns', 'layout'] as const)
      if (isTooDeep(body[field])) throw invalidField(field, messages.preferences_too_deep({ maximum: maxDepth }))
    await lockPerson(tx, userId)
    const before = await findPreferences(tx, userId)
    const after: UserPreferences = { ...before, ...body }
    const changed = changedFields(before, after)
    if (changed.length === 0) return after
    const { language, theme, ...remembered } = after
    const document = JSON.stringify(remembered)
    const size = Buffer.byteLength(document)
    if (size > maxDocumentBytes)
      throw invalidField(
        changed.find(field => field in remembered) ?? 'views',
        messages.preferences_too_large({ size, maximum: maxDocumentBytes }),
      )
    await storePreferences(tx, userId, { language, theme, document })
    record('user.preferences_changed', userId, {
      number: actor.username,
      before: { language: before.language, theme: before.theme },
      after: { language, theme, changed },
    })
    return after
  },
})
