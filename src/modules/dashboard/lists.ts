import { query } from '#action'
import { dayIn } from '#kernel/day.ts'
import { parseSort } from '#kernel/paging.ts'
import { readSettings } from '#modules/accounts'
import { listRepresented } from '#modules/deputies'
import { orphanedApprovals, pendingOf } from './pending.ts'
import { countItems, listItems, peopleOf, type Row } from './queries.ts'
import { peopleById, present, sortRows, whoseTasks } from './rules.ts'
import {
  AssignedItems,
  byDueDate,
  type ItemSort,
  itemSorts,
  ListFilter,
  OrphanedItems,
  PendingApprovals,
  UnassignedItems,
} from './schema.ts'
import {
  type Asker,
  allowed,
  ofCapas,
  ofCopies,
  ofDeviations,
  ofTraining,
  orphaned,
  type Source,
  unassigned,
} from './source-queries.ts'

export const assignedItems = query({
  summary: 'List your assigned items',
  description:
    'Your open training, deviations and CAPAs, your actions and effectiveness reviews, and recalled controlled copies that you hold, by due date. An assignment to a group counts for each of its members. Of people whose deputy you are today, all but their training is listed too, marked `for` them.',
  permission: 'dashboard.read',
  input: { query: ListFilter },
  response: AssignedItems,
  async run({ tx, actor, services }, { query: { limit = 20, ...query } }) {
    const sort = parseSort(query.sort, itemSorts, byDueDate)
    const { time_zone } = await readSettings(tx)
    const today = dayIn(time_zone, services.clock.now())
    const represented = await listRepresented({ tx, actor, services })
    const asker: Asker = { actor, decides: {}, represented: whoseTasks(represented) }
    const may = (sources: readonly Source[]) => allowed(sources, actor)
    const list = (sources: readonly Source[]) =>
      listItems(tx, may(sources), asker, { yours: true }, { limit, offset: 0, sort })
    const [training, deviations] = [await list(ofTraining), await list(ofDeviations)]
    const [capas, copies] = [await list(ofCapas), await list(ofCopies)]
    const all = may([...ofTraining, ...ofDeviations, ...ofCapas, ...ofCopies])
    const counts = await countItems(tx, all, asker, { yours: true })
    const overdue = await countItems(tx, all, asker, { yours: true, before: today })
    const people = await peopleOf(tx, [...training, ...deviations, ...capas, ...copies])
    const shown = (rows: readonly Row[]) =>
      rows.map(row =>
        present(row, { today, people, permissions: actor.permissions, represented: peopleById(represented) }),
      )
    return {
      today,
      time_zone,
      training: shown(training),
      deviations: shown(deviations),
      capas: shown(capas),
      controlled_copies: shown(copies),
      counts: {
        training: counts.training_assignment,
        deviations: counts.deviation,
        capas: counts.capa + counts.capa_action + counts.effectiveness_review,
        controlled_copies: counts.controlled_copy,
        overdue: Object.values(overdue).reduce((sum, count) => sum + count, 0),
      },
    }
  },
})

const sorted = <T extends object>(pending: T, sort: ItemSort): T =>
  Object.fromEntries(
    Object.entries(pending).map(([name, rows]) => [
      name,
      Array.isArray(rows) && name !== 'ways' ? sortRows(rows, sort) : rows,
    ]),
  ) as T

export const unassignedItems = query({
  summary: 'List open deviations and CAPAs that nobody is assigned',
  description:
    'By due date. Deviations are shown to people who may assign them (`deviations.update` or `deviations.assess`), CAPAs to those with `capa.update`.',
  permission: 'dashboard.read',
  input: { query: ListFilter },
  response: UnassignedItems,
  async run({ tx, actor, services }, { query: { limit = 20, ...query } }) {
    const sort = parseSort(query.sort, itemSorts, byDueDate)
    const { time_zone } = await readSettings(tx)
    const today = dayIn(time_zone, services.clock.now())
    const asker: Asker = { actor, decides: {} }
    const sources = { deviations: allowed(unassigned.deviations, actor), capas: allowed(unassigned.capas, actor) }
    const list = async (of: readonly Source[]) =>
      (await listItems(tx, of, asker, { yours: true }, { limit, offset: 0, sort })).map(row =>
        present(row, { today, people: new Map(), permissions: actor.permissions, isToAssign: true }),
      )
    const all = [...sources.deviations, ...sources.capas]
    const counts = await countItems(tx, all, asker, { yours: true })
    const overdue = await countItems(tx, all, asker, { yours: true, before: today })
    return {
      today,
      time_zone,
      deviations: await list(sources.deviations),
      capas: await list(sources.capas),
      counts: { deviations: counts.deviation, capas: counts.capa, overdue: overdue.deviation + overdue.capa },
    }
  },
})

export const orphanedItems = query({
  summary: 'List open work of people who have left, and approvals that nobody can give',
  description:
    'By due date, and for people who may give the work to somebody else: deviations with `deviations.update` or `deviations.assess`, CAPAs with `capa.update`, their actions with `capa.manage_actions` too, effectiveness reviews with `effectiveness.update`, documents with `documents.update`, approvals with `documents.configure_approval`, controlled copies with `documents.print_controlled`. `person` is the one who has left; for an approval it is the author.',
  permission: 'dashboard.read',
  input: { query: ListFilter },
  response: OrphanedItems,
  async run({ tx, actor, services }, { query: { limit = 20, ...query } }) {
    const sort = parseSort(query.sort, itemSorts, byDueDate)
    const { time_zone } = await readSettings(tx)
    const today = dayIn(time_zone, services.clock.now())
    const asker: Asker = { actor, decides: {} }
    const may = (sources: readonly Source[]) => allowed(sources, actor)
    const list = (of: readonly Source[]) => listItems(tx, may(of), asker, { yours: true }, { limit, offset: 0, sort })
    const found = {
      deviations: await list(orphaned.deviations),
      capas: await list(orphaned.capas),
      documents: await list(orphaned.documents),
      controlled_copies: await list(orphaned.controlled_copies),
    }
    const approvals = await orphanedApprovals(tx, actor)
    const shownApprovals = sortRows(approvals.rows, sort).slice(0, limit)
    const all = may(Object.values(orphaned).flat())
    const counts = await countItems(tx, all, asker, { yours: true })
    const overdue = await countItems(tx, all, asker, { yours: true, before: today })
    const people = await peopleOf(tx, [...Object.values(found).flat(), ...shownApprovals])
    const shown = (rows: readonly Row[]) =>
      rows.map(row => present(row, { today, people, permissions: actor.permissions, isToAssign: true }))
    const overdueApprovals = approvals.rows.filter(({ due_date }) => due_date !== null && due_date < today)
    return {
      today,
      time_zone,
      deviations: shown(found.deviations),
      capas: shown(found.capas),
      documents: shown(found.documents),
      approvals: shown(shownApprovals),
      controlled_copies: shown(found.controlled_copies),
      counts: {
        deviations: counts.deviation,
        capas: counts.capa + counts.capa_action + counts.effectiveness_review,
        documents: counts.document ?? 0,
        approvals: approvals.rows.length,
        controlled_copies: counts.controlled_copy,
        overdue: Object.values(overdue).reduce((sum, count) => sum + count, 0) + overdueApprovals.length,
      },
      is_complete: approvals.is_complete,
    }
  },
})

export const pendingApprovals = query({
  summary: 'List items that await your decision',
  description:
    'Items that the caller may decide now, by the same rules as the decision itself: documents in approval, deviations that await their closure, draft CAPAs, and in `capas` those whose plan awaits approval or that await their closure, changes of the configuration, controlled copies to reconcile, and requests to remove files. Items that separation of duties excludes are not listed, nor those that the caller has already decided. `person` is the author or reporter, or the holder of a copy.',
  permission: 'dashboard.read',
  input: { query: ListFilter },
  response: PendingApprovals,
  async run({ tx, actor, services }, { query: { limit = 20, ...query } }) {
    const sort = parseSort(query.sort, itemSorts, byDueDate)
    const { time_zone } = await readSettings(tx)
    const today = dayIn(time_zone, services.clock.now())
    const represented = await listRepresented({ tx, actor, services })
    const { ways, is_complete, ...found } = sorted(await pendingOf({ tx, actor, services, represented }), sort)
    const all = [
      ...found.documents,
      ...found.deviations,
      ...found.draft_capas,
      ...found.capas,
      ...found.configuration_changes,
      ...found.controlled_copies,
      ...found.file_removals,
      ...found.disposals,
    ]
    const people = await peopleOf(
      tx,
      Object.values(found).flatMap(rows => rows.slice(0, limit)),
    )
    const shown = (rows: readonly Row[]) =>
      rows.slice(0, limit).map(row =>
        present(row, {
          ...{ today, people, permissions: actor.permissions, ways },
          represented: peopleById(represented),
        }),
      )
    return {
      today,
      time_zone,
      documents: shown(found.documents),
      deviations: shown(found.deviations),
      draft_capas: shown(found.draft_capas),
      capas: shown(found.capas),
      configuration_changes: shown(found.configuration_changes),
      controlled_copies: shown(found.controlled_copies),
      file_removals: shown(found.file_removals),
      disposals: shown(found.disposals),
      counts: {
        documents: found.documents.length,
        deviations: found.deviations.length,
        draft_capas: found.draft_capas.length,
        capas: found.capas.length,
        configuration_changes: found.configuration_changes.length,
        controlled_copies: found.controlled_copies.length,
        file_removals: found.file_removals.length,
        disposals: found.disposals.length,
        overdue: all.filter(({ due_date }) => due_date !== null && due_date < today).length,
      },
      is_complete,
    }
  },
})
