import { pdf, type World } from '../world/world.ts'
import { cases, dayFromNow } from './cases.ts'
import { type Json, ok } from './documents.ts'

interface Around {
  /** Each text is or holds it. */
  word: string
  people: Record<'author' | 'approver', string>
  /** One that everybody may read. */
  document: number
  /** Those that are to have the parts; else they are those of other ones. */
  records?: { deviation: number; capa: number }
}

/** Comments, files, links and later due dates of a deviation and of a CAPA. */
export async function addCaseParts(world: World, { word, people, document, records }: Around) {
  const author = world.as(people.author)
  const approver = world.as(people.approver)
  const make = cases(world)
  const texts = { title: `${word} title`, description: `${word} description`, by: people.author }
  const older: Json = await make.deviation(texts)
  const deviation: Json = await make.deviation(texts)
  const capa: Json = await make.capa(texts)
  for (const [resource_type, { id }, relation] of [
    ['capa', capa, 'root'],
    ['deviation', older, 'recurrence'],
  ] as const)
    ok(await approver.post(`/api/deviations/${deviation.id}/links`, { resource_type, resource_id: id, relation }))

  const partsOf = async <K extends string>(kind: K, path: string, relation: string) => {
    const { id: comment } = ok(await author.post(`${path}/comments`, { text: word }))
    const file = { bytes: pdf(word), name: `${word}.pdf` }
    const { id: attachment } = ok(await author.upload(`${path}/attachments`, { description: word }, file))
    const linked = { resource_type: 'document', resource_id: document, relation }
    const { id: link } = ok(await author.post(`${path}/links`, linked))
    // It counts a revision, which acme's records keep as they were made.
    if (!records) ok(await approver.post(`${path}/extend`, { due_date: dayFromNow(world, 400), reason: word }))
    const { id: extension } = ok(
      await author.post(`${path}/extend`, { due_date: dayFromNow(world, 430), reason: word }),
    )
    return {
      [`${kind}_comment`]: comment,
      [`${kind}_attachment`]: attachment,
      [`${kind}_link`]: link,
      [`${kind}_extension`]: extension,
    } as Record<`${K}_${'comment' | 'attachment' | 'link' | 'extension'}`, number>
  }
  return {
    ...(await partsOf('deviation', `/api/deviations/${records?.deviation ?? deviation.id}`, 'evidence')),
    ...(await partsOf('capa', `/api/capa/${records?.capa ?? capa.id}`, 'changes')),
  }
}
