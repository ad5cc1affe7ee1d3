import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { diffLines } from 'diff'
import { FilePlus2, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { call } from '../../api/client.ts'
import { ask, refresh } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { ActDialog } from '../../records/dialogs/act-dialog.tsx'
import { RecordHead } from '../../records/record-head.tsx'
import page from '../../records/record-page.module.css'
import { StoredVersions } from '../../records/stored-versions.tsx'
import { Button } from '../../ui/button.tsx'
import { Markdown } from '../../ui/markdown.tsx'
import { Loading, NotPermitted, NotRead, Unreadable } from '../../ui/notes.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useMe, useWhyNot } from '../session/session.ts'
import type { Template } from './template.ts'
import { TemplateEditor } from './template-editor.tsx'
import styles from './templates.module.css'
import { useTemplateWords } from './words.ts'

/** A new template. */
export function NewTemplatePage() {
  const w = useTemplateWords()
  const whyNot = useWhyNot('templates.manage')
  useTitle(w.create)
  if (whyNot !== undefined) return <NotPermitted why={whyNot} />
  return (
    <div className={page.page}>
      <RecordHead
        list={paths.templates}
        back={w.title}
        title={w.create}
        state={<span className="soft">{w.newHint}</span>}
      />
      <TemplateEditor />
    </div>
  )
}

/** A template with its text, and its versions. */
export function TemplatePage() {
  const { id } = useParams({ from: '/app/administration/admin/templates/$id' })
  const { data: template, error, refetch } = useQuery(ask('GET /api/templates/{id}', { path: { id } }))
  useTitle(template?.name)
  if (error || !template) return <NotRead error={error} onRetry={refetch} lines={12} />
  return <Stored key={id} template={template} />
}

function Stored({ template }: { template: Template }) {
  const w = useTemplateWords()
  const { tab = 'write' } = useSearch({ from: '/app/administration/admin/templates/$id' })
  const navigate = useNavigate({ from: '/admin/templates/$id' })
  const { permissions } = useMe()
  const [isDeleting, setDeleting] = useState(false)
  const { id, name, description, category, document_type, version, is_active } = template
  const mayManage = permissions.includes('templates.manage') && is_active
  const mayUse = permissions.includes('templates.use') && permissions.includes('documents.create') && is_active
  return (
    <div className={page.page}>
      <RecordHead
        list={paths.templates}
        back={w.title}
        title={name}
        areActionsWide
        actions={
          <span className="row" data-print="none">
            {mayUse && (
              <Button
                icon={FilePlus2}
                onPress={() => void navigate({ to: '/documents/new', search: { from: 'template', template: id } })}
              >
                {w.begin}
              </Button>
            )}
            {mayManage && (
              <Button icon={Trash2} onPress={() => setDeleting(true)}>
                {w.delete}
              </Button>
            )}
          </span>
        }
        state={
          <>
            <span>{w.version(version)}</span>
            <span>{category}</span>
            {document_type && (
              <Link to="/admin/document-types/$id" params={{ id: document_type.id }}>
                {document_type.name}
              </Link>
            )}
          </>
        }
      >
        {!mayManage && description && <p className="soft">{description}</p>}
        {!is_active && <p className={styles.note}>{w.isDeleted}</p>}
      </RecordHead>
      <Tabs
        className={styles.tabs!}
        selectedKey={tab}
        onSelectionChange={key =>
          void navigate({ search: key === 'versions' ? { tab: 'versions' } : {}, replace: true })
        }
      >
        <TabList aria-label={name} className={page.list!} data-print="none">
          <Tab id="write">{w.tabs.write}</Tab>
          <Tab id="versions">{w.tabs.versions}</Tab>
        </TabList>
        <TabPanel id="write" className={page.panel!}>
          {mayManage ? <TemplateEditor template={template} /> : <Read of={template} />}
        </TabPanel>
        <TabPanel id="versions" className={page.panel!}>
          <Versions of={template} />
        </TabPanel>
      </Tabs>
      {isDeleting && <DeleteDialog template={template} onClose={() => setDeleting(false)} />}
    </div>
  )
}

/** As it reads for who does not write it. */
function Read({ of: { id, version } }: { of: Template }) {
  const w = useTemplateWords()
  const { data, error, refetch } = useQuery({
    queryKey: ['POST /api/templates/{id}/preview', id, version],
    queryFn: ({ signal }) => call('POST /api/templates/{id}/preview', { path: { id }, body: {} }, signal),
  })
  if (error || !data) return <NotRead error={error} onRetry={refetch} lines={8} />
  return (
    <div className={styles.read}>
      <p className={styles.hint}>{w.previewHint}</p>
      <div className={styles.sheet}>
        <Markdown text={data.content} />
      </div>
    </div>
  )
}

function Versions({ of: { id, version } }: { of: Template }) {
  const w = useTemplateWords()
  const { data, error, refetch } = useQuery(
    ask('GET /api/templates/{id}/versions', { path: { id }, query: { page_size: 100 } }),
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
  const w = useTemplateWords()
  const versionOf = (number: number) => ({
    ...ask('GET /api/templates/{id}/versions/{version}', { path: { id, version: number } }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const before = useQuery(versionOf(version - 1))
  const after = useQuery(versionOf(version))
  const error = before.error ?? after.error
  if (error) return <Unreadable error={error} />
  if (!before.data || !after.data) return <Loading lines={2} />
  const old = new Map(before.data.variables.map(each => [each.name, each]))
  const now = new Map(after.data.variables.map(each => [each.name, each]))
  const ofVariables = [
    ...[...now.values()].flatMap(each => {
      const was = old.get(each.name)
      if (!was) return [w.variableAdded(each.label)]
      return JSON.stringify(was) === JSON.stringify(each) ? [] : [w.variableChanged(each.label)]
    }),
    ...[...old.values()].flatMap(each => (now.has(each.name) ? [] : [w.variableRemoved(each.label)])),
  ]
  const lines = diffLines(before.data.body, after.data.body).filter(({ added, removed }) => added || removed)
  return (
    <div className={styles.differences}>
      {ofVariables.map(sentence => (
        <p key={sentence}>{sentence}</p>
      ))}
      {lines.length === 0 && <p>{w.sameText}</p>}
      {lines.map(({ value, added }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same lines may differ twice
        <pre key={index} className={added ? styles.added : styles.removed}>
          <span className="visually-hidden">{added ? w.added : w.removed}: </span>
          {value.trim()}
        </pre>
      ))}
    </div>
  )
}

function DeleteDialog({ template: { id, name, revision }, onClose }: { template: Template; onClose: () => void }) {
  const { deletion: w, changedMeanwhile } = useTemplateWords()
  const client = useQueryClient()
  const navigate = useNavigate()
  return (
    <ActDialog
      title={w.title}
      about={name}
      revision={revision}
      changed={changedMeanwhile}
      send={() => call('DELETE /api/templates/{id}', { path: { id } })}
      onDone={() => {
        announce(w.done(name))
        void refresh(client, 'templates/')
        void navigate({ to: '/admin/templates' })
      }}
      onClose={onClose}
      submit={w.submit}
      look="danger"
    >
      {() => <p>{w.hint}</p>}
    </ActDialog>
  )
}
