import { paths } from './paths.ts'

/** A value of an address as text: what is neither text nor number nor flag is none. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''

/** The query of an address as texts, because `version=2.0` is a label and no number. */
export const readSearch = (text: string): Record<string, unknown> => Object.fromEntries(new URLSearchParams(text))

/**
 * For `validateSearch`: the router itself would hand on to the page what the check leaves out. `validate` says what an address means, and
 * everything else in it means nothing.
 */
export const strictly =
  <T extends object>(validate: (given: Record<string, unknown>) => T) =>
  (given: Record<string, unknown>): T => ({
    ...Object.fromEntries(Object.keys(given).map(key => [key, undefined])),
    ...validate(given),
  })

// A value may have a comma itself.
const writeItem = (value: unknown) => textOf(value).replaceAll('%', '%25').replaceAll(',', '%2C')
const readItem = (text: string) => text.replaceAll('%2C', ',').replaceAll('%25', '%')

/** The values of a list in an address, each once. */
export const textsOf = (value: unknown): string[] => {
  const texts = Array.isArray(value) ? value.map(textOf) : textOf(value).split(',').map(readItem)
  return [...new Set(texts.map(each => each.trim()))].filter(each => each !== '')
}

/** A list of values is one text with commas; what is not set is not there. */
export function writeSearch(search: Record<string, unknown>): string {
  const given = Object.entries(search)
    .map(([key, value]): [string, string] => [
      key,
      Array.isArray(value) ? value.map(writeItem).join(',') : textOf(value),
    ])
    .filter(([, text]) => text !== '')
  if (given.length === 0) return ''
  return `?${new URLSearchParams(given).toString().replaceAll('%2C', ',').replaceAll('%3A', ':')}`
}

/** A day or a moment of which a record is shown as it was. */
export const asOfIn = (value: unknown): { as_of?: string } =>
  /^\d{4}-\d{2}-\d{2}(T[\d:.]+Z)?$/.test(textOf(value)) ? { as_of: textOf(value) } : {}

/** The person for whom their deputy opens a record. */
export const personIn = (value: unknown): { for?: number } =>
  /^[1-9]\d{0,14}$/.test(textOf(value)) ? { for: Number(textOf(value)) } : {}

/** The records that have a page, by the path of their API. */
const recordPages: [RegExp, string][] = [
  [/^\/api\/documents\/(\d+)/, paths.document],
  [/^\/api\/training\/assignments\/(\d+)/, paths.trainingAssignment],
  [/^\/api\/training\/(\d+)/, paths.trainingProgram],
  [/^\/api\/deviations\/(\d+)/, paths.deviation],
  [/^\/api\/capa\/(\d+)/, paths.capa],
  [/^\/api\/signatures\/(\d+)/, paths.signature],
  [/^\/api\/audit\/reviews\/(\d+)/, paths.auditReview],
  [/^\/api\/users\/access-reviews\/(\d+)/, paths.accessReview],
  [/^\/api\/users\/(\d+)/, paths.user],
  [/^\/api\/tenant-exports\/(\d+)/, paths.export],
  [/^\/api\/roles\/(\d+)/, paths.role],
  [/^\/api\/groups\/(\d+)/, paths.group],
  [/^\/api\/service-accounts\/(\d+)/, paths.serviceAccount],
  [/^\/api\/identity-providers\/(\d+)/, paths.identityProvider],
  [/^\/api\/workflow-templates\/(\d+)/, paths.workflow],
  [/^\/api\/training\/curricula\/(\d+)/, paths.curriculum],
  [/^\/api\/migrations\/(\d+)/, paths.import],
  [/^\/api\/configuration-changes\/(\d+)/, paths.change],
  [/^\/api\/disposals\/(\d+)/, paths.disposal],
]

/** The page of a record for a link of the API (`/api/documents/3/workflow`); undefined for a kind that has no page yet. */
export function pageOf(link: string | null): string | undefined {
  for (const [pattern, path] of recordPages) {
    const id = pattern.exec(link ?? '')?.[1]
    if (id !== undefined) return path.replace('$id', id)
  }
  return undefined
}

/** Where the API has the records that entries of the audit trail and signatures are about. */
const recordPaths: Record<string, string> = {
  document: '/api/documents/',
  deviation: '/api/deviations/',
  capa: '/api/capa/',
  training_program: '/api/training/',
  training_assignment: '/api/training/assignments/',
  user: '/api/users/',
  group: '/api/groups/',
  role: '/api/roles/',
  identity_provider: '/api/identity-providers/',
  document_type: '/api/document-types/',
  workflow_template: '/api/workflow-templates/',
  content_template: '/api/templates/',
  signature: '/api/signatures/',
  audit_review: '/api/audit/reviews/',
  access_review: '/api/users/access-reviews/',
  configuration_change: '/api/configuration-changes/',
  tenant_export: '/api/tenant-exports/',
  disposal: '/api/disposals/',
  migration_batch: '/api/migrations/',
}

/** The page of a record by its type in the audit trail; undefined for a kind that has no page yet. */
export const pageOfRecord = (type: string, id: number | null) =>
  id === null || recordPaths[type] === undefined ? undefined : pageOf(`${recordPaths[type]}${id}`)
