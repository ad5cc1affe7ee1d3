import { makeVectorIndex } from '#modules/search'
import { readConfig } from '#platform/config.ts'
import { type Command, Refusal, readOptions, say } from './command.ts'
import { loginTo } from './location.ts'
import { lines } from './messages.ts'

export const vectorIndex: Command = {
  options: {},
  async run(args, env) {
    readOptions(args, {})
    const config = readConfig(env)
    const owner = config.migration_database_url
    if (!config.database_url) throw new Refusal(lines.vector_index_embedded())
    if (!owner) throw new Refusal(lines.owner_login_missing())
    const { hasExtension, model } = await makeVectorIndex(await loginTo(owner, config))
    if (!hasExtension) throw new Refusal(lines.vector_index_no_extension())
    if (model === undefined) throw new Refusal(lines.vector_index_no_vectors())
    say(lines.vector_index_made({ model }))
    return 0
  },
}
