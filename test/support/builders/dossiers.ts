import assert from 'node:assert/strict'
import yauzl from 'yauzl'
import type { World } from '../world/world.ts'
import type { Json } from './documents.ts'

/** The entries of a zip, in their order, as a strict reader finds them. */
export async function unzip(bytes: Buffer): Promise<Map<string, Buffer>> {
  const zip = await yauzl.fromBufferPromise(bytes, { strictFileNames: true })
  const found = new Map<string, Buffer>()
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = []
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer)
    assert.ok(!found.has(entry.fileName), `${entry.fileName} is there twice`)
    found.set(entry.fileName, Buffer.concat(chunks))
  }
  return found
}

/** The dossier at this address, unpacked. */
export async function readDossier(world: World, url: string, by = 'otto') {
  const reply = await world.as(by).get(url)
  assert.equal(reply.statusCode, 200, reply.body)
  const files = await unzip(reply.rawPayload)
  const json = (name: string): Json => JSON.parse(files.get(name)!.toString())
  const entries: Json[] = files
    .get('audit.jsonl')!
    .toString()
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
  return { reply, files, json, entries, manifest: json('manifest.json') }
}
