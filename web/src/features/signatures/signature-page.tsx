import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Ban } from 'lucide-react'
import { useState } from 'react'
import { ask } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { SignDialog } from '../../records/dialogs/sign-dialog.tsx'
import { RecordHead } from '../../records/record-head.tsx'
import page from '../../records/record-page.module.css'
import { Button } from '../../ui/button.tsx'
import { NotRead } from '../../ui/notes.tsx'
import { Person } from '../../ui/person.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useEvidenceWords } from '../../words/evidence.ts'
import { useFormat } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { type SignatureDetails, Verified } from './verified.tsx'

/** One signature, verified anew each time that it is read. */
export function SignaturePage() {
  const { signatures: w } = useEvidenceWords()
  const { moment } = useFormat()
  const { id } = useParams({ from: '/app/signatures/$id' })
  const { data, error, refetch } = useQuery(ask('GET /api/signatures/{id}', { path: { id } }))
  useTitle(data && `${w.meanings[data.signature_type]} · ${data.resource_number}`)
  if (error || !data) return <NotRead error={error} onRetry={refetch} />
  return (
    <div className={page.page}>
      <RecordHead
        list={paths.signatures}
        back={w.back}
        number={data.resource_number}
        title={w.meanings[data.signature_type]}
        state={
          <>
            <Person of={data.signer} />
            <time className="soft" dateTime={data.signed_at}>
              {moment(data.signed_at)}
            </time>
          </>
        }
      />
      <Verified signature={data} actions={<Voiding signature={data} />} />
    </div>
  )
}

/** Whom it is for sees why it cannot be done here. */
function Voiding({ signature }: { signature: SignatureDetails }) {
  const { voiding: w } = useEvidenceWords().signatures
  const { permissions } = useMe()
  const [isOpen, setOpen] = useState(false)
  if (!permissions.includes('signatures.void')) return null
  const { may, why_not } = signature.you
  const whyNot = may.includes('void') ? undefined : why_not.void?.map(({ detail }) => detail).join(' ')
  return (
    <div data-print="none">
      <Button icon={Ban} whyNot={whyNot} onPress={() => setOpen(true)}>
        {w.action}
      </Button>
      {isOpen && <VoidDialog signature={signature} onClose={() => setOpen(false)} />}
    </div>
  )
}

function VoidDialog({ signature, onClose }: { signature: SignatureDetails; onClose: () => void }) {
  const { voiding: w, meanings } = useEvidenceWords().signatures
  const { id, resource_number, signature_type } = signature
  return (
    <SignDialog
      of={{ id, number: resource_number, title: meanings[signature_type] }}
      page={`/signatures/${id}`}
      title={w.title}
      meaning={w.meaning}
      draft="void"
      remark={{ label: w.reason, isRequired: true }}
      act={reason => ({ name: 'POST /api/signatures/{id}/void', path: { id }, body: { reason: reason ?? '' } })}
      submit={w.submit}
      look="danger"
      note={w.note}
      onDone={() => announce(w.done)}
      onClose={onClose}
    />
  )
}
