import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Archive, ArchiveRestore, Copy } from 'lucide-react'
import { useState } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { call } from '../../api/client.ts'
import { ask, refresh } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { AwaitingChanges, isProposal, type Proposal, Proposed } from '../../records/dialogs/change-proposed.tsx'
import { ReasonDialog, withReason } from '../../records/dialogs/reason-dialog.tsx'
import { RecordHead } from '../../records/record-head.tsx'
import page from '../../records/record-page.module.css'
import { StoredVersions } from '../../records/stored-versions.tsx'
import { Button } from '../../ui/button.tsx'
import { Loading, NotPermitted, NotRead, Unreadable } from '../../ui/notes.tsx'
import { Status } from '../../ui/status.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useMe, useWhyNot } from '../session/session.ts'
import { differencesBetween } from './differences.ts'
import type { FormTemplate } from './draft.ts'
import { FormBuilder } from './form-builder.tsx'
import { FormPreview } from './form-preview.tsx'
import styles from './forms.module.css'
import type { FormTab } from './search.ts'
import { type FormDraft, useDraftOf } from './use-form.ts'
import { useFormWords } from './words.ts'

const templateOf = (id: number | undefined) => ({
  ...ask('GET /api/deviations/form-templates/{id}', { path: { id: id ?? 0 } }),
  enabled: id !== undefined,
})

/** A new form, or a copy of one that there is. */
export function NewFormPage() {
  const w = useFormWords()
  const { from } = useSearch({ from: '/app/administration/admin/forms/new' })
  const whyNot = useWhyNot('deviations.manage_forms')
  const { data: copied, error, refetch } = useQuery(templateOf(from))
  useTitle(w.create)
  if (whyNot !== undefined) return <NotPermitted why={whyNot} />
  if (error) return <Unreadable error={error} onRetry={() => void refetch()} />
  if (from !== undefined && !copied) return <Loading lines={12} />
  return (
    <div className={page.page}>
      <RecordHead
        list={paths.forms}
        back={w.title}
        title={w.create}
        state={<span className="soft">{w.newHint}</span>}
      />
      <NewForm key={from} copied={copied} />
    </div>
  )
}

function NewForm({ copied }: { copied: FormTemplate | undefined }) {
  const [tab, setTab] = useState<FormTab>('build')
  const draft = useDraftOf({ copied })
  return <FormTabs tab={tab} onTab={setTab} draft={draft} />
}

/** A form as it is, as it will be, and as it was. */
export function FormPage() {
  const { id } = useParams({ from: '/app/administration/admin/forms/$id' })
  const { data: template, error, refetch } = useQuery(templateOf(id))
  useTitle(template?.name)
  if (error || !template) return <NotRead error={error} onRetry={refetch} lines={12} />
  return <StoredForm key={id} template={template} />
}

function StoredForm({ template }: { template: FormTemplate }) {
  const w = useFormWords()
  const { tab = 'build' } = useSearch({ from: '/app/administration/admin/forms/$id' })
  const navigate = useNavigate({ from: '/admin/forms/$id' })
  const mayManage = useMe().permissions.includes('deviations.manage_forms')
  const draft = useDraftOf({ template })
  const [isChanging, setChanging] = useState(false)
  const [proposed, setProposed] = useState<Proposal>()
  const { id, name, description, version, is_active } = template
  // Of those that match the name: the list alone knows how often a form is used.
  const used = useQuery(ask('GET /api/deviations/form-templates/', { query: { q: name, page_size: 100 } }))
  const count = used.data?.items.find(each => each.id === id)?.deviation_count
  return (
    <div className={page.page}>
      <RecordHead
        list={paths.forms}
        back={w.title}
        title={name}
        areActionsWide
        actions={
          mayManage && (
            <span className="row" data-print="none">
              <Button icon={Copy} onPress={() => void navigate({ to: '/admin/forms/new', search: { from: id } })}>
                {w.copy}
              </Button>
              <Button icon={is_active ? Archive : ArchiveRestore} onPress={() => setChanging(true)}>
                {is_active ? w.deactivate.action : w.activate.action}
              </Button>
            </span>
          )
        }
        state={
          <>
            <Status of={is_active ? 'active' : 'inactive'} name={is_active ? w.offered : w.notOffered} />
            <span>{w.version(version)}</span>
            {count !== undefined && <span className="soft">{w.used(count)}</span>}
          </>
        }
      >
        {!mayManage && description && <p className="soft">{description}</p>}
      </RecordHead>
      {proposed ? <Proposed of={proposed} /> : <AwaitingChanges kind="form_template" id={id} />}
      <FormTabs
        tab={tab}
        onTab={next => void navigate({ search: next === 'build' ? {} : { tab: next }, replace: true })}
        draft={draft}
        template={template}
        onProposed={setProposed}
      />
      {isChanging && <StateDialog template={template} onProposed={setProposed} onClose={() => setChanging(false)} />}
    </div>
  )
}

interface TabsProps {
  tab: FormTab
  onTab: (tab: FormTab) => void
  draft: FormDraft
  template?: FormTemplate
  onProposed?: (change: Proposal) => void
}

function FormTabs({ tab, onTab, draft, template, onProposed }: TabsProps) {
  const w = useFormWords()
  const mayManage = useMe().permissions.includes('deviations.manage_forms')
  const tabs: FormTab[] = [
    ...(mayManage ? (['build'] as const) : []),
    'preview',
    ...(template ? (['versions'] as const) : []),
  ]
  return (
    <Tabs
      className={styles.tabs!}
      selectedKey={tabs.includes(tab) ? tab : tabs[0]!}
      onSelectionChange={key => onTab(key as FormTab)}
    >
      <TabList aria-label={template?.name ?? w.create} className={page.list!} data-print="none">
        {tabs.map(each => (
          <Tab key={each} id={each}>
            {w.tabs[each]}
            {each === 'build' && draft.faults.length > 0 && <span className={page.count}>{draft.faults.length}</span>}
          </Tab>
        ))}
      </TabList>
      {mayManage && (
        <TabPanel id="build" className={page.panel!}>
          <FormBuilder draft={draft} template={template} onProposed={onProposed} />
        </TabPanel>
      )}
      <TabPanel id="preview" className={page.panel!}>
        <FormPreview draft={draft} template={template} />
      </TabPanel>
      {template && (
        <TabPanel id="versions" className={page.panel!}>
          <Versions of={template} />
        </TabPanel>
      )}
    </Tabs>
  )
}

function Versions({ of: { id, version } }: { of: FormTemplate }) {
  const w = useFormWords()
  const { data, error, refetch } = useQuery(
    ask('GET /api/deviations/form-templates/{id}/versions', { path: { id }, query: { page_size: 100 } }),
  )
  if (error || !data) return <NotRead error={error} onRetry={refetch} lines={4} />
  return (
    <>
      <p className={styles.keeps}>{w.keeps}</p>
      <StoredVersions
        label={w.tabs.versions}
        versions={data.items}
        current={version}
        differences={number => <Differences id={id} version={number} />}
      />
    </>
  )
}

function Differences({ id, version }: { id: number; version: number }) {
  const w = useFormWords()
  const versionOf = (number: number) => ({
    ...ask('GET /api/deviations/form-templates/{id}/versions/{version}', { path: { id, version: number } }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const before = useQuery(versionOf(version - 1))
  const after = useQuery(versionOf(version))
  const error = before.error ?? after.error
  if (error) return <Unreadable error={error} />
  if (!before.data || !after.data) return <Loading lines={2} />
  const found = differencesBetween(before.data.sections, after.data.sections, w.differences, type => w.types[type])
  return (
    <ul>
      {found.map(sentence => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  )
}

interface StateProps {
  template: FormTemplate
  onProposed: (change: Proposal) => void
  onClose: () => void
}

function StateDialog({ template: { id, name, is_active, revision }, onProposed, onClose }: StateProps) {
  const all = useFormWords()
  const w = is_active ? all.deactivate : all.activate
  const client = useQueryClient()
  return (
    <ReasonDialog
      title={w.title}
      about={name}
      revision={revision}
      send={(now, reason) =>
        call('PUT /api/deviations/form-templates/{id}', {
          path: { id },
          body: { is_active: !is_active, revision: now, ...withReason(reason) },
        })
      }
      done={w.done(name)}
      onDone={answer => {
        if (isProposal(answer)) onProposed(answer)
        void refresh(client, 'deviations/form-templates', 'configuration-changes')
      }}
      onClose={onClose}
      submit={w.submit}
    >
      {w.hint}
    </ReasonDialog>
  )
}
