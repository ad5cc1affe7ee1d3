import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface InstalledModel {
  model: string
  folder: string
  dimensions: number
}

export const modelsFolder = (data_dir: string) => join(data_dir, 'models')
export const installedEntry = 'installed.json'

/** The model that `qms embeddings install` has put into the data folder. */
export function findInstalledModel(data_dir: string): InstalledModel | undefined {
  const folder = modelsFolder(data_dir)
  if (!existsSync(join(folder, installedEntry))) return undefined
  const { model, dimensions } = JSON.parse(readFileSync(join(folder, installedEntry), 'utf8')) as InstalledModel
  return { model, folder, dimensions }
}
