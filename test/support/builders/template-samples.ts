import type { World } from '../world/world.ts'
import { type Json, ok } from './documents.ts'

/** A content template in its second version, which can be used without a value. */
export async function addTemplates(
  world: World,
  { word, people, document_type }: { word: string; people: Record<'admin', string>; document_type: number },
) {
  const admin = world.as(people.admin)
  const template: Json = ok(
    await admin.post('/api/templates/', {
      name: `${word} template`,
      description: word,
      category: word,
      document_type_id: document_type,
      body: `# ${word} {{line}}`,
      variables: [{ name: 'line', label: word, type: 'text', default: word, help: word }],
    }),
  )
  const changed = { body: `# ${word}\n\n{{line}}`, change_reason: word }
  ok(await admin.put(`/api/templates/${template.id}`, changed))
  return { content_template: template.id as number }
}
