import { readFileSync } from 'node:fs'
import type { VariableInput } from './schema.ts'

interface StarterTemplate {
  name: string
  description: string
  category: string
  /** The built-in document type of its drafts; null if it depends on the use. */
  document_type: string | null
  variables: VariableInput[]
  body: string
}

const files = [
  'sop',
  'work-instruction',
  'deviation-report',
  'capa-plan',
  'training-record',
  'validation-protocol',
  'validation-report',
  'change-request',
  'audit-report',
]

/** A file begins with its fields as JSON; the body follows a line of three dashes. */
export const readStarter = (): StarterTemplate[] =>
  files.map(name => {
    const text = readFileSync(new URL(`./starter/${name}.md`, import.meta.url), 'utf8')
    const [head, ...rest] = text.split('\n---\n')
    return { ...(JSON.parse(head!) as Omit<StarterTemplate, 'body'>), body: rest.join('\n---\n').trimStart() }
  })
