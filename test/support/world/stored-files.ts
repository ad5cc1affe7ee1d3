import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The keys of the files below a folder of uploads, sorted, but for those that are to be thrown away and for the mark of the installation. */
export const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(each => each.isFile())
    .map(each => join(each.parentPath, each.name).slice(folder.length + 1))
    .filter(name => !name.startsWith('trash/') && name !== 'installation.json')
    .sort()
