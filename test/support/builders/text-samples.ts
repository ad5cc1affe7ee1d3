import type { World } from '../world/world.ts'
import { ok } from './documents.ts'

/** A document whose file says the word, and was read. */
export async function addText(
  world: World,
  { word, author, document_type }: { word: string; author: string; document_type: number },
) {
  const file = { bytes: Buffer.from(`# ${word} heading\n\nIt says ${word}.`), name: 'text.md' }
  ok(await world.as(author).upload('/api/documents/upload', { title: `${word} text`, document_type }, file))
  await world.work()
}
