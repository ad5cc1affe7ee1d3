import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'

// Translates a file of the program, and all that it names by their paths, from TypeScript. In a thread of its own, because Node warns of this
// on the standard error of whoever does it.
const translated: Record<string, string> = {}
const ours = /'(\.\.?\/[^']+\.ts)'/g

function translate(url: string) {
  if (url in translated) return
  const text = readFileSync(new URL(url), 'utf8')
  translated[url] = stripTypeScriptTypes(text)
  for (const [, path] of translated[url].matchAll(ours)) translate(new URL(path!, url).href)
}
translate(workerData as string)
parentPort!.postMessage(translated)
