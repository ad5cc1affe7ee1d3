import { readRoles } from '#modules/roles'
import { addImportedCurriculum, importedProgram, importedReading } from '#modules/training'
import type { Tx } from '#platform/db/database.ts'
import { type BatchFacts, provenance, type Sheet } from '../sheet.ts'
import { optional, required } from './columns.ts'
import { help, messages } from './messages.ts'
import {
  findDocuments,
  findGroups,
  findPrograms,
  listCurriculumNames,
  listStagedTrainings,
  readCurricula,
} from './queries.ts'
import { byId, differing, groupKey, idsOf, judged, lower, missing, plainKey, unsure, wrong } from './shared.ts'

type CurriculumRow = {
  name: string
  description: string | null
  roles: readonly string[]
  groups: readonly string[]
  trainings: readonly string[]
}

const roleNames = async (tx: Tx) => new Map([...(await readRoles(tx)).values()].map(({ name }) => [lower(name), name]))

/** Documents by their numbers and other trainings by their titles: which of these names are known. */
async function knownTrainings(tx: Tx, batch: BatchFacts, names: readonly string[]) {
  const documents = await findDocuments(tx, batch.id, names)
  const programs = await findPrograms(tx, names)
  return {
    documents: new Map(documents.map(each => [each.called, each])),
    programs: new Map(programs.flatMap(each => [[each.title, each.id] as const, [each.number, each.id] as const])),
  }
}

/** Loaded after the training, so that nobody is assigned what they have completed before. */
export const curricula: Sheet<CurriculumRow> = {
  name: 'curricula',
  needs: ['groups', 'members', 'versions', 'training'],
  help: help.help_curricula(),
  columns: [
    required('name', 'text', help.help_curriculum_name(), ['Curriculum', 'Name', 'Schulungsplan']),
    optional('description', 'long_text', help.help_description(), ['Description', 'Beschreibung']),
    optional('roles', 'list', help.help_curriculum_roles(), ['Roles', 'Rollen']),
    optional('groups', 'list', help.help_curriculum_groups(), ['Groups', 'Gruppen']),
    required('trainings', 'list', help.help_curriculum_trainings(), ['Trainings', 'Schulungen']),
  ],
  key: ({ name }) => plainKey(name),
  references: ({ groups, trainings }) => [
    ...groups.map(name => ({ sheet: 'groups' as const, key: groupKey(name) })),
    ...trainings.map(name => ({ sheet: 'documents' as const, key: name.trim() })),
  ],
  async check(tx, rows, batch) {
    const taken = await listCurriculumNames(
      tx,
      rows.map(({ values }) => values.name.trim()),
    )
    const roles = await roleNames(tx)
    const asked = rows.flatMap(({ values }) => values.groups)
    const groups = new Set([
      ...(await batch.find('groups', asked.map(groupKey))).keys(),
      ...(await findGroups(tx, asked)).map(({ name }) => groupKey(name)),
    ])
    const trainings = rows.flatMap(({ values }) => values.trainings.map(name => name.trim()))
    const staged = await batch.find('documents', trainings)
    const titles = await listStagedTrainings(tx, batch.id, trainings)
    const { documents, programs } = await knownTrainings(tx, batch, trainings)
    const isKnown = (name: string) => staged.has(name) || titles.has(name) || documents.has(name) || programs.has(name)
    return rows.map(({ values }) => {
      const name = values.name.trim()
      const unknown = values.trainings.map(each => each.trim()).filter(each => !isKnown(each))
      const twice = values.trainings.filter((each, i) => values.trainings.indexOf(each) < i)
      return judged(
        [
          ...(taken.has(name)
            ? [wrong('name', messages.staged_curriculum_taken({ name }), messages.todo_curriculum_taken())]
            : []),
          ...(name.length > 120
            ? [wrong('name', messages.staged_text_too_long({ maximum: 120 }), messages.todo_text_too_long())]
            : []),
          ...values.roles
            .filter(each => !roles.has(lower(each)))
            .map(role => wrong('roles', messages.staged_role_unknown({ role }), messages.todo_role_unknown())),
          ...values.groups
            .filter(each => !groups.has(groupKey(each)))
            .map(each => wrong('groups', messages.staged_group_unknown({ name: each }), messages.todo_group_unknown())),
          ...unknown.map(each =>
            wrong('trainings', messages.staged_training_unknown({ name: each }), messages.todo_training_unknown()),
          ),
          ...twice.map(each =>
            wrong('trainings', messages.staged_training_twice({ name: each }), messages.todo_training_twice()),
          ),
          ...(values.roles.length + values.groups.length === 0
            ? [unsure('groups', messages.staged_curriculum_for_nobody(), messages.todo_curriculum_for_nobody())]
            : []),
        ],
        {
          name,
          description: values.description ?? '',
          role_names: values.roles,
          groups: values.groups,
          programs: values.trainings,
        },
      )
    })
  },
  async load(context, rows, batch) {
    const { tx } = context
    const roles = await roleNames(tx)
    const groups = new Map(
      (
        await findGroups(
          tx,
          rows.flatMap(({ values }) => values.groups),
        )
      ).map(({ id, name }) => [groupKey(name), id]),
    )
    const loaded = []
    for (const row of rows) {
      const { name, description, trainings } = row.values
      const from = provenance(row, batch)
      const { documents, programs } = await knownTrainings(
        tx,
        batch,
        trainings.map(each => each.trim()),
      )
      const programIds = []
      for (const each of trainings.map(text => text.trim())) {
        const document = documents.get(each)
        // Its rows may not be loaded yet in a rehearsal.
        const id = document
          ? (await importedReading(context, document, from)).id
          : (programs.get(each) ?? (await importedProgram(context, { title: each, type: 'classroom' }, from)).id)
        programIds.push(id)
      }
      const curriculum = await addImportedCurriculum(
        context,
        {
          ...{ name: name.trim(), description: description ?? '' },
          role_names: row.values.roles.map(each => roles.get(lower(each))!),
          group_ids: row.values.groups.map(each => groups.get(groupKey(each))!),
          programs: programIds.map(training_id => ({ training_id })),
        },
        { migration_batch_id: batch.id, from },
      )
      loaded.push({ resource_type: 'curriculum', resource_id: curriculum.id })
    }
    return loaded
  },
  async compare(tx, rows) {
    const found = byId(await readCurricula(tx, idsOf(rows)))
    return rows.map(({ values, resource_id, key }) => {
      const curriculum = found.get(resource_id!)
      if (!curriculum) return missing(key)
      const names = curriculum.programs.map(({ title, number, document, legacy }, i) => {
        const written = values.trainings[i]?.trim()
        return [legacy, document, title, number].find(each => each === written) ?? legacy ?? document ?? title
      })
      return differing([
        ['name', values.name.trim(), curriculum.name],
        ['description', values.description, curriculum.description],
        ['roles', values.roles.map(lower).sort(), curriculum.role_names.map(lower).sort()],
        ['groups', values.groups.map(lower).sort(), curriculum.groups.map(lower).sort()],
        ['trainings', values.trainings.map(each => each.trim()), names],
      ])
    })
  },
}
