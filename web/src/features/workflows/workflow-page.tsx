import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Ban, Copy, Ellipsis, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { refresh } from '../../api/queries.ts'
import { AwaitingChange } from '../../records/dialogs/change-proposed.tsx'
import { ReasonDialog, withReason } from '../../records/dialogs/reason-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { NotRead } from '../../ui/notes.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat, useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { type Template, templateOf, useProposed, useTypesOf } from './choices.ts'
import { DesignPage } from './design-page.tsx'
import { useDesign } from './use-design.ts'
import { useDesignerWords } from './words.ts'
import styles from './workflow-page.module.css'
import { WorkflowState } from './workflows-page.tsx'

/** One workflow: changed, tried, and compared with what it was. */
export function WorkflowPage() {
  const { id } = useParams({ from: '/app/administration/admin/workflows/$id' })
  const { data, error, refetch } = useQuery(templateOf(id))
  useTitle(data?.name)
  if (error || !data) return <NotRead error={error} onRetry={refetch} lines={14} />
  return <Workflow key={data.id} template={data} />
}

function Workflow({ template }: { template: Template }) {
  const w = useDesignerWords()
  const { common } = useWords()
  const { list } = useFormat()
  const { id: userId, permissions } = useMe()
  const navigate = useNavigate()
  const { tab = 'design' } = useSearch({ from: '/app/administration/admin/workflows/$id' })
  const { name, description, definition, names, revision, is_builtin, is_active } = template
  const designing = useDesign(`workflow ${userId} ${template.id}`, { name, description, definition, names, revision })
  const [isChanging, setChanging] = useState(false)
  const pending = useProposed().filter(({ resource_id }) => resource_id === template.id)
  const types = useTypesOf()(template.id).map(each => each.name)
  const mayManage = permissions.includes('workflow_templates.manage')
  const copy = () => void navigate({ to: '/admin/workflows/new', search: { from: template.id } })
  return (
    <>
      <DesignPage
        designing={designing}
        template={template}
        title={name}
        tab={tab}
        onTab={next => void navigate({ to: '.', search: next === 'design' ? {} : { tab: next } })}
        state={
          <>
            <WorkflowState of={template} isProposed={pending.length > 0} />
            <span>{w.version(template.version)}</span>
            {is_builtin && <span className={styles.tag}>{w.shipped}</span>}
            <span className="soft">
              {w.list.types} {types.length > 0 ? list(types, 'conjunction') : w.list.noTypes}
            </span>
          </>
        }
        actions={
          mayManage && (
            <span className={styles.actions} data-print="none">
              {is_builtin ? (
                <Button look="main" icon={Copy} onPress={copy}>
                  {w.copy}
                </Button>
              ) : (
                <Menu label={common.more} trigger={<Button look="icon" label={common.more} icon={Ellipsis} />}>
                  <MenuItem icon={Copy} name={w.copy} onAction={copy} />
                  <MenuItem
                    icon={is_active ? Ban : RotateCcw}
                    name={is_active ? w.withdraw.action : w.restore.action}
                    onAction={() => setChanging(true)}
                  />
                </Menu>
              )}
            </span>
          )
        }
        notes={
          <>
            {is_builtin && mayManage && <p className={styles.note}>{w.shippedHint}</p>}
            {pending.map(each => (
              <AwaitingChange key={each.id} id={each.id} />
            ))}
          </>
        }
      />
      {isChanging && <ActiveDialog template={template} onClose={() => setChanging(false)} />}
    </>
  )
}

/** Withdraws a workflow, or puts it into force again. */
function ActiveDialog({ template, onClose }: { template: Template; onClose: () => void }) {
  const words = useDesignerWords()
  const client = useQueryClient()
  const w = template.is_active ? words.withdraw : words.restore
  return (
    <ReasonDialog
      title={w.title}
      about={template.name}
      revision={template.revision}
      isRequired
      send={(revision, reason) =>
        call('PUT /api/workflow-templates/{id}', {
          path: { id: template.id },
          body: { is_active: !template.is_active, revision, ...withReason(reason) },
        })
      }
      done={w.done(template.name)}
      onDone={() => void refresh(client, 'workflow-templates/', 'configuration-changes/')}
      onClose={onClose}
      submit={w.action}
      look={template.is_active ? 'danger' : 'main'}
    >
      {w.text}
    </ReasonDialog>
  )
}
