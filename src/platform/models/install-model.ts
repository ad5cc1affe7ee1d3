import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { type InstalledModel, installedEntry, modelsFolder } from '../config/installed-model.ts'
import { openOnnx, refuseWithoutLibrary } from './embeddings-onnx.ts'
import { checksums, hashOf, NoModel, verifyModel } from './model-checksums.ts'

async function filesOf(folder: string): Promise<string[]> {
  const all = await readdir(folder, { recursive: true, withFileTypes: true })
  return all
    .filter(each => each.isFile())
    .map(each => relative(folder, join(each.parentPath, each.name)).split(sep).join('/'))
    .filter(name => name !== checksums)
    .sort()
}

const needed = ['config.json', 'tokenizer.json', 'tokenizer_config.json']
const models = ['onnx/model_quantized.onnx', 'onnx/model.onnx']
const probes = ['The cold store was above 8 °C.', 'A signature is missing.']

/** Runs the model on two texts: the length of its vectors, which differ from each other. */
async function dimensionsOf(folder: string, model: string): Promise<number> {
  const { hidden_size: dimensions } = JSON.parse(await readFile(join(folder, model, 'config.json'), 'utf8'))
  if (!Number.isInteger(dimensions) || dimensions < 16 || dimensions > 4096)
    throw new NoModel('unusable', 'config.json')
  const [one, other] = await openOnnx({ provider: 'onnx', model, folder, dimensions }).embed(probes, 'passage')
  if (one!.every((value, place) => Math.abs(value - other![place]!) < 1e-6)) throw new NoModel('unusable', 'onnx')
  return dimensions
}

/**
 * Copies a model with its list of checksums into the data folder, runs it once there, and makes it the one that the service uses by itself.
 * Until the last step the service uses what it used before, also if the process is killed.
 */
export async function installModel(
  from: string,
  model: string,
  data_dir: string,
): Promise<InstalledModel & { sum: string }> {
  for (const name of needed) if (!existsSync(join(from, name))) throw new NoModel('incomplete', name)
  if (!models.some(name => existsSync(join(from, name)))) throw new NoModel('incomplete', models.join(' or '))
  await verifyModel(from)
  refuseWithoutLibrary()
  const folder = modelsFolder(data_dir)
  const place = join(folder, model)
  const fresh = join(folder, '.new')
  await rm(fresh, { recursive: true, force: true })
  await mkdir(dirname(join(fresh, model)), { recursive: true })
  try {
    await cp(from, join(fresh, model), { recursive: true, dereference: true })
    const lines: string[] = []
    for (const name of await filesOf(join(fresh, model)))
      lines.push(`${await hashOf(join(fresh, model, name))}  ${name}\n`)
    const list = lines.join('')
    await writeFile(join(fresh, model, checksums), list)
    const dimensions = await dimensionsOf(fresh, model)
    await rm(place, { recursive: true, force: true })
    await mkdir(dirname(place), { recursive: true })
    await rename(join(fresh, model), place)
    await writeFile(join(fresh, installedEntry), JSON.stringify({ model, dimensions }))
    await rename(join(fresh, installedEntry), join(folder, installedEntry))
    return { model, folder, dimensions, sum: createHash('sha256').update(list).digest('hex') }
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}
