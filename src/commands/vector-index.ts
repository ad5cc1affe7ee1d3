import { makeVectorIndex } from '#modules/search'
import { readConfig } from '#platform/config.ts'
import { type Command, Refusal, readOptions, say } from './command.ts'

export const vectorIndex: Command = {
  options: {},
  async run(args, env) {
    readOptions(args, {})
    const { migration_database_url: owner, database_url } = readConfig(env)
    if (!database_url) throw new Refusal('The embedded database has no pgvector. Set DATABASE_URL to an external one')
    if (!owner)
      throw new Refusal('MIGRATION_DATABASE_URL is not set. It must log in as attest_owner, the owner of the tables')
    const { hasExtension, model } = await makeVectorIndex({ connectionString: owner })
    if (!hasExtension)
      throw new Refusal(
        'This database has no pgvector 0.8 or later. A superuser must run CREATE EXTENSION vector first',
      )
    if (model === undefined) throw new Refusal('No text has a vector yet. The service makes them while it runs')
    say(`The vectors of ${model} are indexed. Run this again after another model has taken over.`)
    return 0
  },
}
