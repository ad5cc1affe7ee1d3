import { createHash, randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { rootCause } from '#test/builders/deviations.ts'
import type { Json } from '#test/builders/documents.ts'
import { everybodysPassword as password } from '#test/world/people.ts'
import { pdf } from '#test/world/world.ts'
import { type Company, type Name, NotAcknowledged } from './company.ts'

/** Acknowledged work, and how to check it. */
export interface Acknowledged {
  what: string
  path: string
  holds(found: Json): boolean
}

export interface Journal {
  acknowledged: Acknowledged[]
  /** The bytes of documents by their hash, as it was answered for. */
  files: Map<number, string>
  /** How many requests were answered for, by what they were. */
  counts: Map<string, number>
}

export const openJournal = (): Journal => ({ acknowledged: [], files: new Map(), counts: new Map() })

type Work = (
  company: Company,
  note: (what: string, path: string, holds: Acknowledged['holds']) => void,
) => Promise<void>

export const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const signers = (list: Json) => list.items.map(({ signer }: Json) => signer.username)

/** A document with its file, submitted, and approved by two people with their signatures. */
function document(files: Map<number, string>): Work {
  return async (company, note) => {
    const bytes = pdf(randomBytes(20_000).toString('base64'))
    const title = sha256(bytes)
    const { id } = await company.upload('alan', { title, document_type: company.sop() }, bytes)
    const path = `/api/documents/${id}`
    files.set(id, title)
    note('document.created', path, found => found.title === title && found.file.sha256 === title)
    await company.post('alan', `${path}/transition`, { transition: 'submit' })
    note('document.submitted', path, ({ status }) => status !== 'draft')
    for (const [by, after] of [
      ['petra', ['in_approval', 'effective']],
      ['quentin', ['effective']],
    ] as const) {
      await company.post(by, `${path}/approve`, { comment: 'Read', password })
      note('document.approved', path, ({ status }) => after.includes(status as never))
      note('document.signed', `/api/signatures/?document_id=${id}`, found => signers(found).includes(by))
    }
  }
}

const deviation: Work = async (company, note) => {
  const title = `Valve ${randomBytes(6).toString('hex')} leaked`
  const { id } = await company.post('uma', '/api/deviations/', {
    title,
    description: 'Water was found under the valve after cleaning.',
    severity: 'minor',
  })
  const path = `/api/deviations/${id}`
  note('deviation.created', path, found => found.title === title)
  const states = ['under_investigation', 'pending_approval', 'closed']
  const steps: [Name, object][] = [
    ['petra', { assigned_to: company.ids().petra }],
    [
      'petra',
      {
        root_cause: rootCause,
        impact_assessment: 'None: the line was empty',
        no_capa_reason: 'The seals are changed every year from now on',
        change_reason: 'Investigated',
      },
    ],
    ['quentin', { change_reason: 'Complete and plausible', password }],
  ]
  for (const [step, [by, body]] of steps.entries()) {
    await company.put(by, path, { status: states[step], ...body })
    note(`deviation.${states[step]}`, path, ({ status }) => states.indexOf(status) >= step)
  }
}

const capa: Work = async (company, note) => {
  const title = `Dosing ${randomBytes(6).toString('hex')} is done by hand`
  const { alan, anna, quentin } = company.ids()
  const { id } = await company.post('alan', '/api/capa/', {
    title,
    description: 'Three deviations in a quarter had the same cause.',
    type: 'corrective',
    source: 'trend',
    root_cause: 'The pump was never ordered',
    assigned_to: alan,
    actions: [{ description: 'Fit a dosing pump', assigned_to: anna }],
  })
  const path = `/api/capa/${id}`
  note('capa.created', path, found => found.title === title && found.actions.length === 1)
  await company.post('petra', `${path}/approve-draft`, { comment: 'Sound' })
  note('capa.approved', path, ({ status }) => status !== 'draft')
  const put = (by: Name, fields: object) => company.put(by, path, { change_reason: 'As agreed', ...fields })
  await put('alan', { status: 'in_progress' })
  note('capa.in_progress', path, ({ status }) => !['draft', 'open'].includes(status))
  const plan = await company.post('petra', `${path}/effectiveness`, {
    criteria: 'No deviation of this cause in three months',
    method: 'trend',
    due_date: '2199-01-31',
    reviewer_id: quentin,
  })
  const [action] = (await company.get('petra', path)).actions
  await put('anna', { actions: [{ id: action.id, status: 'done', evidence: 'Qualification report 12' }] })
  note('capa.action_done', path, ({ actions }) => actions[0].status === 'done')
  await put('alan', { adverse_effect_assessment: 'None: the pump is of the qualified kind' })
  await put('petra', { status: 'pending_effectiveness' })
  await company.put('quentin', `${path}/effectiveness/${plan.id}`, {
    result: 'effective',
    conclusion: 'None in 40 batches',
    change_reason: '40 batches were made sooner than planned',
    password,
  })
  await company.put('quinn', path, { change_reason: 'Complete', status: 'closed', password })
  note('capa.closed', path, ({ status }) => status === 'closed')
  note('capa.signed', `/api/signatures/?resource_type=capa&resource_id=${id}`, found =>
    signers(found).includes('quinn'),
  )
}

const training: Work = async (company, note) => {
  const title = `Gowning ${randomBytes(6).toString('hex')}`
  const { id } = await company.post('quinn', '/api/training/', { title, type: 'classroom' })
  const path = `/api/training/${id}`
  note('training.created', path, found => found.title === title)
  const { assigned } = await company.post('quinn', '/api/training/assign', {
    training_id: id,
    user_ids: [company.ids().uma],
  })
  const assignment = `/api/training/assignments/${assigned[0].assignment_id}`
  note('training.assigned', assignment, found => found.user.username === 'uma')
  await company.post('uma', `${path}/complete`, { password })
  note('training.completed', assignment, ({ status }) => status === 'completed')
}

/** One of the four kinds from its beginning to its end, or as far as it is answered for. */
export async function workOnce(company: Company, { acknowledged, files, counts }: Journal, kind: number) {
  const kinds = [document(files), deviation, capa, training]
  try {
    await kinds[kind % kinds.length]!(company, (what, path, holds) => {
      acknowledged.push({ what, path, holds })
      counts.set(what, (counts.get(what) ?? 0) + 1)
    })
    return true
  } catch (error) {
    if (!(error instanceof NotAcknowledged)) throw error
    return false
  }
}

/**
 * So many at once, one after the other each, until the signal. What fails by a fault is begun anew a moment later. `pause_ms` between
 * two records is for tests that are about time and not about load.
 */
export async function keepWorking(
  company: Company,
  journal: Journal,
  signal: AbortSignal,
  { at_once = 4, pause_ms = 0 } = {},
) {
  const worker = async (first: number) => {
    for (let kind = first; !signal.aborted; kind++) {
      const isDone = await workOnce(company, journal, kind)
      if (pause_ms > 0 || !isDone) await setTimeout(isDone ? pause_ms : 5)
    }
  }
  await Promise.all(Array.from({ length: at_once }, (_, first) => worker(first)))
}
