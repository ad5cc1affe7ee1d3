import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import {
  Archive,
  ArrowRight,
  Ban,
  CalendarCheck,
  CircleX,
  Copy,
  Download,
  Ellipsis,
  FilePlus2,
  FileSignature,
  History,
  type LucideIcon,
  PenLine,
  ScrollText,
  Settings2,
  Undo2,
  UserRoundCheck,
  UserRoundX,
} from 'lucide-react'
import { useState } from 'react'
import { Button as AriaButton } from 'react-aria-components'
import { type Answer, addressOf } from '../../api/client.ts'
import { ask } from '../../api/queries.ts'
import { AsOfDialog } from '../../records/as-of.tsx'
import styles from '../../records/record-page.module.css'
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { save } from '../../ui/save.ts'
import { useActWords } from '../../words/acts.ts'
import { useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { ConfigureDialog } from './configure-dialog.tsx'
import { DelegateDialog, EndDelegationDialog } from './delegate-dialog.tsx'
import { DetailsDialog } from './details-dialog.tsx'
import { ObsoleteDialog, ReviewDialog, TakeBackDialog } from './signed-acts.tsx'
import { TransitionDialog, useTransitionWords } from './transition-dialog.tsx'

type Document = Answer<'GET /api/documents/{id}'>
type Workflow = Answer<'GET /api/documents/{id}/workflow'>
type Act = 'details' | 'delegate' | 'endDelegation' | 'takeBack' | 'configure' | 'review' | 'obsolete' | 'asOf'

interface Props {
  document: Document
  version: string
}

/** Everything that can be done with a document, each with the reason where it cannot be done now. */
export function DocumentActions({ document, version }: Props) {
  const { common, reading, trail } = useWords()
  const { permissions } = useMe()
  const navigate = useNavigate()
  const { data: workflow } = useQuery(ask('GET /api/documents/{id}/workflow', { path: { id: document.id } }))
  const [act, setAct] = useState<Act>()
  const [transition, setTransition] = useState<string>()
  const close = () => {
    setAct(undefined)
    setTransition(undefined)
  }
  const of = workflow && { document, workflow, onClose: close }
  return (
    <span data-print="none">
      <Menu
        label={common.more}
        trigger={
          <AriaButton className={styles.more!} aria-label={common.more}>
            <Ellipsis size={17} aria-hidden="true" />
          </AriaButton>
        }
      >
        {workflow && <OfVersion document={document} workflow={workflow} onAct={setAct} onTransition={setTransition} />}
        {workflow && <OfDocument document={document} workflow={workflow} onAct={setAct} />}
        <Files document={document} version={version} />
        {permissions.includes('audit.read') && (
          <MenuItem icon={History} name={reading.asOfMenu} onAction={() => setAct('asOf')} />
        )}
        {permissions.includes('audit.read') && (
          <MenuItem
            icon={ScrollText}
            name={trail.ofRecord}
            onAction={() => void navigate({ to: '/audit', search: { record: 'document', id: document.id } })}
          />
        )}
      </Menu>
      {of && transition !== undefined && <TransitionDialog {...of} transition={transition} />}
      {of && act === 'details' && <DetailsDialog {...of} />}
      {of && act === 'delegate' && <DelegateDialog {...of} />}
      {of && act === 'endDelegation' && <EndDelegationDialog {...of} />}
      {of && act === 'takeBack' && <TakeBackDialog {...of} />}
      {of && act === 'configure' && <ConfigureDialog {...of} />}
      {of && act === 'review' && <ReviewDialog {...of} />}
      {of && act === 'obsolete' && <ObsoleteDialog {...of} />}
      {act === 'asOf' && (
        <AsOfDialog
          title={reading.asOfTitle}
          hint={reading.dayHint}
          onShow={as_of => void navigate({ to: '/documents/$id', params: { id: document.id }, search: { as_of } })}
          onClose={close}
        />
      )}
    </span>
  )
}

interface Acting {
  document: Document
  workflow: Workflow
  onAct: (act: Act) => void
}

const wayIcons: Record<string, LucideIcon> = { withdraw: Undo2, cancel: CircleX }

/** What moves the version under way. */
function OfVersion({ document, workflow, onAct, onTransition }: Acting & { onTransition: (name: string) => void }) {
  const w = useActWords()
  const wordsOf = useTransitionWords(workflow)
  const navigate = useNavigate()
  const { id: ownId, permissions } = useMe()
  const { approvals, delegations, decisions, state, you } = workflow
  const has = (permission: string) => permissions.includes(permission)
  const isPending = approvals.some(({ status }) => status === 'pending')
  const isUnderWay = state.kind === 'initial' || state.kind === 'review'
  const isOver = state.kind === 'final' ? w.whyNot.over : undefined
  const decides = has('documents.approve') || has('documents.review')
  const byHand = state.kind === 'effective' ? [] : you.may.filter(each => each !== 'approve' && each !== 'reject')
  const canEnd = delegations.some(
    ({ from, to }) => from.id === ownId || to.id === ownId || has('documents.configure_approval'),
  )
  const hasApproved = decisions.some(
    ({ user, decision, is_void }) => user.id === ownId && decision === 'approve' && !is_void,
  )
  const whyNotDelegate = !isPending
    ? w.whyNot.nothingPending
    : you.may.includes('approve') || has('documents.configure_approval')
      ? undefined
      : you.why_not?.detail
  return (
    <>
      {byHand.map(each => {
        const Icon = wayIcons[each] ?? ArrowRight
        return <MenuItem key={each} icon={Icon} name={wordsOf(each).action} onAction={() => onTransition(each)} />
      })}
      {has('documents.create') && (
        <MenuItem
          icon={FilePlus2}
          name={w.newVersion}
          whyNot={isOver}
          onAction={() => void navigate({ to: '/documents/$id/new-version', params: { id: document.id } })}
        />
      )}
      {has('documents.update') && (
        <MenuItem icon={PenLine} name={w.details.action} whyNot={isOver} onAction={() => onAct('details')} />
      )}
      {(decides || has('documents.configure_approval')) && (
        <MenuItem
          icon={UserRoundCheck}
          name={w.delegate.action}
          whyNot={whyNotDelegate}
          onAction={() => onAct('delegate')}
        />
      )}
      {canEnd && <MenuItem icon={UserRoundX} name={w.endDelegation.action} onAction={() => onAct('endDelegation')} />}
      {hasApproved && isPending && (
        <MenuItem icon={Undo2} name={w.takeBack.action} onAction={() => onAct('takeBack')} />
      )}
      {has('documents.configure_approval') && (
        <MenuItem
          icon={Settings2}
          name={w.configure.action}
          whyNot={isUnderWay ? undefined : w.whyNot.noApproval}
          onAction={() => onAct('configure')}
        />
      )}
    </>
  )
}

/** What becomes of the effective version. */
function OfDocument({ document, workflow, onAct }: Acting) {
  const w = useActWords()
  const navigate = useNavigate()
  const { permissions } = useMe()
  const has = (permission: string) => permissions.includes(permission)
  const whyNot = document.effective_version === null ? w.whyNot.notEffective : undefined
  // Beside a version under way, the way of the effective one is not among those that are asked of the workflow.
  const isOffered = workflow.state.kind !== 'effective' || workflow.you.may.some(each => each !== 'approve')
  return (
    <>
      <MenuLine />
      {has('documents.periodic_review') && (
        <MenuItem icon={CalendarCheck} name={w.review.action} whyNot={whyNot} onAction={() => onAct('review')} />
      )}
      {has('documents.obsolete') && (
        <MenuItem
          icon={Ban}
          name={w.obsolete.action}
          whyNot={whyNot ?? (isOffered ? undefined : w.whyNot.notOffered)}
          onAction={() => onAct('obsolete')}
        />
      )}
      {(has('documents.hold_copies') || has('documents.print_controlled') || has('audit.read')) && (
        <MenuItem
          icon={Copy}
          name={w.copies}
          onAction={() =>
            void navigate({ to: '/documents/$id', params: { id: document.id }, search: { tab: 'copies' } })
          }
        />
      )}
    </>
  )
}

function Files({ document: { id, file }, version }: Props) {
  const acts = useActWords()
  const { document: w, common } = useWords()
  const { permissions } = useMe()
  const isPermitted = permissions.includes('documents.download')
  const whyNot = isPermitted ? file.removal && w.removed : common.notPermitted('documents.download')
  const download = (rendition: 'original' | 'signed') =>
    save(addressOf('GET /api/documents/{id}/download', { path: { id }, query: { version, rendition } }))
  return (
    <>
      <MenuLine />
      <MenuItem icon={Download} name={w.download} whyNot={whyNot} onAction={() => download('original')} />
      <MenuItem icon={FileSignature} name={w.downloadSigned} whyNot={whyNot} onAction={() => download('signed')} />
      {permissions.includes('audit.read') && (
        <MenuItem
          icon={Archive}
          name={acts.dossier}
          whyNot={isPermitted ? undefined : common.notPermitted('documents.download')}
          onAction={() => save(addressOf('GET /api/documents/{id}/dossier', { path: { id } }))}
        />
      )}
    </>
  )
}
