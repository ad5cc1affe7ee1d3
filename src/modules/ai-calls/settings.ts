import { command, query, type Services } from '#action'
import { refuseStale } from '#action/revision.ts'
import { holdPolicy, insertPolicy, type Policy, readPolicy, updatePolicy } from './queries.ts'
import { AssistantSettings, AssistantSettingsUpdate } from './schema.ts'

const present = ({ id: _id, ...policy }: Policy, { languageModel, config }: Services): AssistantSettings => ({
  ...policy,
  provider: languageModel?.provider ?? null,
  model: languageModel?.model ?? null,
  installation_monthly_tokens: Number.isFinite(config.ai_monthly_tokens) ? config.ai_monthly_tokens : null,
})

export const settings = query({
  summary: 'Read the settings of the assistant',
  permission: 'settings.read',
  input: {},
  response: AssistantSettings,
  run: async ({ tx, services }) => present(await readPolicy(tx), services),
})

export const changeSettings = command({
  summary: 'Change the settings of the assistant',
  description:
    'Switches it on or off, and sets its limits for a calendar month and its prices. Fields that are left out stay as they are; with null the limit of the installation applies.',
  permission: 'ai.manage',
  input: { body: AssistantSettingsUpdate },
  response: AssistantSettings,
  async run(context, { body: { revision: _revision, change_reason, ...change } }) {
    const { tx, services, record } = context
    await holdPolicy(tx)
    const { id, updated_at: _at, updated_by: _by, ...before } = await readPolicy(tx)
    await refuseStale(context, 'assistant_settings', { id, revision: before.revision })
    const values = { ...change, revision: before.revision + 1 }
    if (id === 0) await insertPolicy(tx, values)
    else await updatePolicy(tx, values)
    const policy = await readPolicy(tx)
    const { id: stored, updated_at: _when, updated_by: _who, ...after } = policy
    record('assistant_settings.updated', stored, { before, after, reason: change_reason ?? null })
    return present(policy, services)
  },
})
