import { makeVectorIndex } from '#modules/search'
import { readConfig } from '#platform/config.ts'
import { type Command, Refusal, readOptions, say } from './command.ts'

export const vectorIndex: Command = {
  options: {},
  async run(args, env) {
    readOptions(args, {})
    const { migration_database_url: owner, database_url } = readConfig(env)
    if (!database_url) throw new Refusal('The embedded database has no pgvector: this is for one at DATABASE_URL')
    if (!owner) throw new Refusal('MIGRATION_DATABASE_URL is not set: it logs in as attest_owner, who owns the tables')
    const { hasExtension, model } = await makeVectorIndex({ connectionString: owner })
    if (!hasExtension)
      throw new Refusal(
        'pgvector 0.8 or later is not in this database: a superuser has to run CREATE EXTENSION vector first',
      )
    if (model === undefined) throw new Refusal('No text has a vector yet: the service makes them')
    say(`The vectors of ${model} are indexed. Run this again after another model has taken over.`)
    return 0
  },
}
