import { allTenants, resealSecondFactors, systemActor } from '#modules/accounts'
import { type Command, Refusal, readOptions, say } from './command.ts'
import { origin, withService } from './start.ts'

export const secretKeyReseal: Command = {
  options: {},
  async run(args, env) {
    readOptions(args, {})
    await withService(env, 'stop it first', async ({ config, database, runner, keys }) => {
      if (config.secret_key_previous === undefined)
        throw new Refusal('SECRET_KEY_PREVIOUS is not set: give it the SECRET_KEY that was in use before')
      let count = 0
      for (const tenantId of await allTenants(database))
        count += await runner.inSeparateTransaction(systemActor(tenantId), origin, writing =>
          resealSecondFactors(writing, keys),
        )
      say(`Sealed ${count} second ${count === 1 ? 'factor' : 'factors'} with SECRET_KEY.`)
      say('Remove SECRET_KEY_PREVIOUS from every host, and keep it where backups that it sealed are kept.')
    })
    return 0
  },
}
