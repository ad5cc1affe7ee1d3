import type { RecordReader, RecordSubject } from '#modules/signatures'
import type { Tx } from '#platform/db/database.ts'

// By the names of the columns: those that a signature covers once are never taken away nor renamed.
const ofAssignment = [
  ...['program_id', 'user_id', 'source', 'document_id', 'version_id', 'due_date', 'assigned_at', 'assigned_by'],
  ...['completed_at', 'attempts', 'score', 'valid_until'],
]

/** What the signature of a trainee, and that of a trainer behind it, cover: who was trained on which bytes, and with which result. */
async function readAssignment(tx: Tx, id: number): Promise<RecordSubject | undefined> {
  const assignment = await tx.selectFrom('training_assignments').selectAll().where('id', '=', id).executeTakeFirst()
  if (!assignment) return undefined
  const program = await tx
    .selectFrom('training_programs')
    .selectAll()
    .where('id', '=', assignment.program_id)
    .executeTakeFirstOrThrow()
  const version = await tx
    .selectFrom('document_versions')
    .selectAll()
    .where('id', '=', assignment.version_id)
    .executeTakeFirst()
  const { status, content_revision } = assignment
  return {
    type: 'training_assignment',
    id,
    number: `${program.number}, training ${id}`,
    status,
    content_revision,
    content: {
      ...Object.fromEntries(Object.entries(assignment).filter(([name]) => ofAssignment.includes(name))),
      document_version: version ? { version: version.version, sha256: version.sha256 } : null,
    },
  }
}

const readable: RecordReader['readable'] = ({ permissions }) => permissions.has('training.read_all')

export const signedTraining: RecordReader = { read: readAssignment, readable }
