import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ChevronLeft, SearchX } from 'lucide-react'
import { useState } from 'react'
import { ask } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import page from '../../records/record-page.module.css'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Empty, Loading, Unreadable } from '../../ui/notes.tsx'
import { nameOf } from '../../ui/person.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useEvidenceWords } from '../../words/evidence.ts'
import { useFormat } from '../../words/index.ts'
import { codeOf } from './search.ts'
import styles from './signature.module.css'
import { Verified } from './verified.tsx'

/** Is the signature good that is printed on this copy? */
export function VerifyPage() {
  const { verify: w } = useEvidenceWords().signatures
  const { code } = useSearch({ from: '/app/verify' })
  const navigate = useNavigate({ from: paths.verify })
  const [typed, setTyped] = useState(code ?? '')
  const [shown, setShown] = useState(code)
  const [isWrong, setWrong] = useState(false)
  useTitle(w.title)
  // Another address, as after "Back", shows in the field.
  if (shown !== code) {
    setShown(code)
    setTyped(code ?? '')
  }
  const verify = () => {
    const found = codeOf(typed)
    setWrong(found === undefined)
    if (found !== undefined) void navigate({ search: { code: found } })
  }
  return (
    <div className={page.page}>
      <header className={page.head}>
        <Link to={paths.signatures} className={page.back}>
          <ChevronLeft size={14} aria-hidden="true" />
          {w.back}
        </Link>
        <h1>{w.title}</h1>
        <p className="soft">{w.hint}</p>
      </header>
      <Form className={styles.ask} onSend={verify} data-print="none">
        <Field
          label={w.code}
          hint={w.codeHint}
          value={typed}
          onChange={setTyped}
          autoFocus={code === undefined}
          autoComplete="off"
          spellCheck="false"
          wrong={isWrong ? w.wrong : undefined}
        />
        <Button type="submit" look="main">
          {w.submit}
        </Button>
      </Form>
      {code !== undefined && <Found code={code} />}
    </div>
  )
}

function Found({ code }: { code: string }) {
  const { signatures: w } = useEvidenceWords()
  const { moment } = useFormat()
  const list = useQuery(ask('GET /api/signatures/', { query: { verification_code: code, page_size: 10 } }))
  const only = list.data?.items.length === 1 ? list.data.items[0] : undefined
  const one = useQuery({
    ...ask('GET /api/signatures/{id}', { path: { id: only?.id ?? 0 } }),
    enabled: only !== undefined,
  })
  const error = list.error ?? one.error
  if (error) return <Unreadable error={error} onRetry={() => void (list.error ? list : one).refetch()} />
  if (list.data?.items.length === 0)
    return (
      <div role="status">
        <Empty icon={SearchX} title={w.verify.none}>
          <p>{w.verify.noneHint}</p>
        </Empty>
      </div>
    )
  if (one.data) return <Verified signature={one.data} />
  if (!list.data || only) return <Loading />
  return (
    <section className={styles.several}>
      <p role="status">{w.verify.several(list.data.total)}</p>
      <ul>
        {list.data.items.map(each => (
          <li key={each.id}>
            <Link to={paths.signature} params={{ id: each.id }}>
              {each.resource_number}, {w.meanings[each.signature_type]}
            </Link>{' '}
            <span className="soft">
              {nameOf(each.signer)}, {moment(each.signed_at)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
