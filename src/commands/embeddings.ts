import { statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { readConfig } from '#platform/config.ts'
import { ModelFailed } from '#platform/models/failure.ts'
import { installModel } from '#platform/models/install-model.ts'
import { NoModel } from '#platform/models/model-checksums.ts'
import { type Command, Refusal, readOptions, required, say } from './command.ts'
import { lines } from './messages.ts'

/** A name becomes a folder below that of the models. */
const isName = (name: string) => /^[\w-][\w.-]*(\/[\w-][\w.-]*)?$/.test(name)

export const embeddingsInstall: Command = {
  options: {
    '--from FOLDER': 'the folder of the model: config.json, tokenizer.json, tokenizer_config.json, onnx/',
    '--name N': 'the name of the model, by which it is known how to use it; the name of the folder by default',
  },
  async run(args, env) {
    const options = readOptions(args, { from: { type: 'string' }, name: { type: 'string' } })
    const from = resolve(required('from', options.from))
    const name = options.name ?? basename(from)
    if (!statSync(from, { throwIfNoEntry: false })?.isDirectory())
      throw new Refusal(lines.model_no_folder({ folder: from }))
    if (!isName(name)) throw new Refusal(lines.model_name_wrong())
    const { data_dir } = readConfig({ ...env, EMBEDDINGS_PROVIDER: 'none' })
    const { dimensions, sum } = await installModel(from, name, data_dir).catch(asRefusal)
    say(lines.model_installed({ model: name, dimensions, sum }))
    const isSet = env.EMBEDDINGS_PROVIDER !== undefined && env.EMBEDDINGS_PROVIDER !== ''
    say(isSet ? lines.model_not_used({ provider: env.EMBEDDINGS_PROVIDER! }) : lines.model_used())
    return 0
  },
}

function asRefusal(error: unknown): never {
  if (error instanceof ModelFailed) throw new Refusal(lines.model_fails({ reason: error.message }))
  if (!(error instanceof NoModel)) throw error
  const { why, file } = error
  if (why === 'incomplete') throw new Refusal(lines.model_incomplete({ file }))
  throw new Refusal(why === 'checksum' ? lines.model_checksum({ file }) : lines.model_unusable({ file }))
}
