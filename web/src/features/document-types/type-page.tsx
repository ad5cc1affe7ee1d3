import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Archive, ArchiveRestore } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { ask, refresh } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { AwaitingChanges, isProposal, type Proposal, Proposed } from '../../records/dialogs/change-proposed.tsx'
import { ReasonDialog, withReason } from '../../records/dialogs/reason-dialog.tsx'
import { FactList } from '../../records/fact-list.tsx'
import { useShownPattern } from '../../records/fields/pattern-field.tsx'
import { RecordHead } from '../../records/record-head.tsx'
import page from '../../records/record-page.module.css'
import { Button } from '../../ui/button.tsx'
import { NotPermitted, NotRead } from '../../ui/notes.tsx'
import { Status } from '../../ui/status.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat } from '../../words/index.ts'
import { useMe, useWhyNot } from '../session/session.ts'
import { Effects } from './effects.tsx'
import { type DocumentType, LastChanges } from './last-changes.tsx'
import { TypeForm } from './type-form.tsx'
import styles from './types.module.css'
import { useTypeWords } from './words.ts'
import { WorkflowSteps } from './workflow-steps.tsx'

/** A new kind of document. */
export function NewDocumentTypePage() {
  const w = useTypeWords()
  const whyNot = useWhyNot('document_types.manage')
  useTitle(w.create)
  const [proposed, setProposed] = useState<Proposal>()
  if (whyNot !== undefined) return <NotPermitted why={whyNot} />
  return (
    <div className={page.page}>
      <RecordHead
        list={paths.documentTypes}
        back={w.title}
        title={w.create}
        state={<span className="soft">{w.newHint}</span>}
      />
      {proposed ? <Proposed of={proposed} /> : <TypeForm onProposed={setProposed} />}
    </div>
  )
}

/** What happens to a document of this kind. */
export function DocumentTypePage() {
  const { id } = useParams({ from: '/app/administration/admin/document-types/$id' })
  const { data: type, error, refetch } = useQuery(ask('GET /api/document-types/{id}', { path: { id } }))
  useTitle(type?.name)
  if (error || !type) return <NotRead error={error} onRetry={refetch} lines={12} />
  return <Stored key={id} type={type} />
}

function Stored({ type }: { type: DocumentType }) {
  const w = useTypeWords()
  const mayManage = useMe().permissions.includes('document_types.manage')
  const [isChanging, setChanging] = useState(false)
  const [proposed, setProposed] = useState<Proposal>()
  const { id, name, description, is_active, next_number } = type
  return (
    <div className={page.page}>
      <RecordHead
        list={paths.documentTypes}
        back={w.title}
        title={name}
        areActionsWide
        actions={
          mayManage && (
            <span data-print="none">
              <Button icon={is_active ? Archive : ArchiveRestore} onPress={() => setChanging(true)}>
                {is_active ? w.deactivate.action : w.activate.action}
              </Button>
            </span>
          )
        }
        state={
          <>
            <Status of={is_active ? 'active' : 'inactive'} name={is_active ? w.inUse : w.notInUse} />
            <span>
              {w.next}: <b className="number">{next_number}</b>
            </span>
          </>
        }
      >
        {!mayManage && description && <p className="soft">{description}</p>}
      </RecordHead>
      {proposed ? <Proposed of={proposed} /> : <AwaitingChanges kind="document_type" id={id} />}
      {mayManage ? <TypeForm type={type} onProposed={setProposed} /> : <Shown of={type} />}
      {isChanging && <StateDialog type={type} onProposed={setProposed} onClose={() => setChanging(false)} />}
    </div>
  )
}

/** For who may read it and not change it. */
function Shown({ of: type }: { of: DocumentType }) {
  const w = useTypeWords()
  const { list } = useFormat()
  const shownPattern = useShownPattern()
  const {
    number_pattern,
    workflow_template,
    workflow_templates,
    review_period_months: months,
    training_gate: gate,
  } = type
  const { retention_years: years } = type
  const others = workflow_templates.filter(({ id }) => id !== workflow_template.id).map(each => each.name)
  return (
    <div className={styles.columns}>
      <FactList
        facts={[
          [w.pattern, shownPattern(number_pattern)],
          [w.workflow, workflow_template.name],
          [w.others, others.length > 0 && list(others, 'conjunction')],
          [w.gate, w.gates[gate].name],
          [w.review, months === null ? w.never : w.every(months)],
          [w.retentionPeriod, years === null ? w.forEver : w.years(years)],
        ]}
      />
      <aside className={styles.side}>
        <WorkflowSteps template={workflow_template.id} />
        <LastChanges of={type} />
      </aside>
    </div>
  )
}

interface StateProps {
  type: DocumentType
  onProposed: (change: Proposal) => void
  onClose: () => void
}

function StateDialog({ type: { id, name, is_active, revision }, onProposed, onClose }: StateProps) {
  const all = useTypeWords()
  const w = is_active ? all.deactivate : all.activate
  const client = useQueryClient()
  return (
    <ReasonDialog
      title={w.title}
      about={name}
      revision={revision}
      send={(now, reason) =>
        call('PUT /api/document-types/{id}', {
          path: { id },
          body: { is_active: !is_active, revision: now, ...withReason(reason) },
        })
      }
      done={w.done(name)}
      onDone={answer => {
        if (isProposal(answer)) onProposed(answer)
        void refresh(client, 'document-types/', 'configuration-changes')
      }}
      onClose={onClose}
      submit={w.submit}
    >
      {is_active ? <Effects type={id} change={{ is_active: false }} /> : <p>{all.activate.hint}</p>}
    </ReasonDialog>
  )
}
