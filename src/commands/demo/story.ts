import { lines } from './messages.ts'
import type { Visit } from './visit.ts'

/** An act of one person on a record. Each leaves one mark, by which a later start knows the progress of the story. */
export type Deed = (visit: Visit, id: number) => Promise<unknown>

/** The progress of a record's story. Its creation is the first mark. */
export interface Begun {
  id: number
  marks: number
}

/** Continues a story from where an earlier start was interrupted. */
export async function continueStory(
  visit: Visit,
  {
    kind,
    title,
    deeds,
    begun,
    begin,
  }: { kind: string; title: string; deeds: Deed[]; begun: Begun | undefined; begin(): Promise<{ id: number }> },
) {
  const done = begun?.marks ?? 0
  if (done > deeds.length) return
  visit.say(lines.demo_record({ kind, title }))
  const { id } = begun ?? (await begin())
  for (const deed of deeds.slice(Math.max(done - 1, 0))) await deed(visit, id)
}
