import { command, query } from '#action'
import { conflict } from '#kernel/errors.ts'
import { type Message, reasonOf } from '#kernel/message.ts'
import { listHolders, readSettings } from '#modules/accounts'
import { findRecipient, testMail } from '#modules/mail'
import { findDefinition, readTenantFacts, rehearse, writtenBy } from '#modules/workflows'
import type { Tx } from '#platform/db/database.ts'
import { messages } from './messages.ts'
import { findLastTest, listActiveTypes, listRolesWithPeople, readFacts } from './queries.ts'
import { SetUp, TestMail } from './schema.ts'

/** A document needs its author, a reviewer and an approver in the stricter of the workflows that come with a company. */
const enoughPeople = 3
/** As many authors as are tried: one who finds approvers is enough. */
const maxAuthors = 20

type ActiveType = Awaited<ReturnType<typeof listActiveTypes>>[number]

/** Why no author of today can bring a document of a type to be effective; undefined where one can. Types often share a workflow. */
function openRehearsals(tx: Tx, authors: readonly number[]) {
  const known = new Map<string, Promise<Message | undefined>>()
  async function issueOf({ workflow_id, workflow_version }: ActiveType) {
    const definition = (await findDefinition(tx, workflow_id, workflow_version))!
    const facts = await readTenantFacts(tx, definition)
    const issues = authors.map(
      author => rehearse(definition, writtenBy(author), facts).find(({ issue }) => issue)?.issue,
    )
    return issues.includes(undefined) ? undefined : (issues[0] ?? messages.set_up_no_author())
  }
  return (type: ActiveType) => {
    const key = `${type.workflow_id} ${type.workflow_version}`
    const issue = known.get(key) ?? issueOf(type)
    known.set(key, issue)
    return issue
  }
}

export const setUp = query({
  summary: 'Read how far the company is set up',
  description: 'What is done and what is left of each step, from the records as they are now.',
  permission: 'settings.read',
  input: {},
  response: SetUp,
  async run({ tx, services }): Promise<SetUp> {
    const [facts, settings, roles, types, authors, last_test] = await Promise.all([
      readFacts(tx),
      readSettings(tx),
      listRolesWithPeople(tx),
      listActiveTypes(tx),
      listHolders(tx, 'documents.create', 'documents.submit'),
      findLastTest(tx),
    ])
    const issueOf = openRehearsals(tx, authors.slice(0, maxAuthors))
    const items = await Promise.all(
      types.map(async type => {
        const issue = await issueOf(type)
        return {
          ...{ id: type.id, name: type.name, prefix: type.prefix, is_builtin: type.is_builtin },
          workflow_template: { id: type.workflow_id, name: type.workflow_name },
          issue: issue === undefined ? null : reasonOf(issue),
          isTouched: !type.is_builtin || type.revision > 1,
        }
      }),
    )
    const { name, active, invited, has_provider, uploaded, effective } = facts
    return {
      company: {
        ...{ name, time_zone: settings.time_zone, language: settings.language },
        is_done: facts.has_time_zone && facts.has_language,
      },
      people: { active, invited, has_provider, is_done: active >= enoughPeople || has_provider },
      roles: { items: roles, is_done: items.length > 0 && items.every(({ issue }) => issue === null) },
      document_types: {
        items: items.map(({ isTouched: _, ...type }) => type),
        is_done: uploaded > 0 || items.some(({ isTouched }) => isTouched),
      },
      mail: {
        is_set_up: services.mailer !== undefined,
        last_test: last_test ?? null,
        is_done: facts.has_sent_mail || last_test?.outcome === 'success',
      },
      documents: { uploaded, effective, is_done: uploaded > 0 },
    }
  },
})

export const sendTestMail = command({
  summary: 'Send a test e-mail to oneself',
  description:
    'Sends it at once, and answers what the mail server said. The attempt is an entry of the audit trail, whatever came of it.',
  permission: 'settings.manage',
  input: {},
  response: TestMail,
  async prepare({ services, read, actor }) {
    const { mailer } = services
    if (!mailer) throw conflict(messages.test_mail_not_set_up())
    const recipient = await read(tx => findRecipient(tx, actor.userId!))
    return { to: recipient.email, problem: await testMail({ ...services, mailer }, recipient) }
  },
  async run({ record, prepared: { to, problem } }) {
    record('mail.tested', null, { outcome: problem === null ? 'success' : 'failed', reason: problem })
    return { to, is_sent: problem === null, problem }
  },
})
