import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { KeyRound, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { type Answer, call } from '../../../api/client.ts'
import { ask } from '../../../api/queries.ts'
import { paths } from '../../../app/paths.ts'
import { ReasonDialog } from '../../../records/dialogs/reason-dialog.tsx'
import list from '../../../records/list/list-page.module.css'
import page from '../../../records/record-page.module.css'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { Empty, NotRead } from '../../../ui/notes.tsx'
import { useTitle } from '../../../ui/use-title.ts'
import { Mark, Section, useRefresh } from '../parts.tsx'
import styles from '../people.module.css'
import { usePeopleWords } from '../words.ts'

/** By which providers do people log in and sign? */
export function IdentityProvidersPage() {
  const { providers: w, people } = usePeopleWords()
  const navigate = useNavigate()
  const { data, error, refetch } = useQuery(ask('GET /api/identity-providers/', {}))
  useTitle(w.title)
  return (
    <div className={list.page}>
      <header className={list.head}>
        <div>
          <h1>{w.title}</h1>
          <p className="soft">{w.about}</p>
        </div>
        {!error && (
          <div className="row" data-print="none">
            <Button look="main" icon={Plus} onPress={() => void navigate({ to: paths.newIdentityProvider })}>
              {w.create}
            </Button>
          </div>
        )}
      </header>
      {error || !data ? (
        <NotRead error={error} onRetry={refetch} lines={6} />
      ) : (
        <div className={page.page}>
          {data.length === 0 ? (
            <Empty icon={KeyRound} title={w.empty}>
              <p>{w.emptyHint}</p>
            </Empty>
          ) : (
            <ul className={styles.list}>
              {data.map(provider => (
                <li key={provider.id}>
                  <div>
                    <b>
                      <Link to={paths.identityProvider} params={{ id: provider.id }}>
                        {provider.name}
                      </Link>
                    </b>
                    <p className="soft">
                      {provider.issuer} · {people(provider.linked_users)}
                    </p>
                  </div>
                  <ProviderMarks of={provider} />
                </li>
              ))}
            </ul>
          )}
          <Domains />
        </div>
      )}
    </div>
  )
}

/** Whether people get in, and whether they sign. */
export function ProviderMarks({ of: provider }: { of: Answer<'GET /api/identity-providers/'>[number] }) {
  const { providers: w } = usePeopleWords()
  const { is_active, may_sign, is_altered } = provider
  return (
    <span className={styles.tools}>
      {is_altered && <Mark look="warn">{w.alteredMark}</Mark>}
      <Mark {...(is_active && { look: 'good' as const })}>{is_active ? w.active : w.inactive}</Mark>
      <Mark {...(may_sign && { look: 'good' as const })}>{may_sign ? w.signs : w.signsNot}</Mark>
    </span>
  )
}

type Domain = Answer<'GET /api/sso-domains/'>[number]

function Domains() {
  const { providers: w } = usePeopleWords()
  const { data, error, refetch } = useQuery(ask('GET /api/sso-domains/', {}))
  const [open, setOpen] = useState<'add' | { act: 'verify' | 'remove'; domain: Domain }>()
  const refresh = useRefresh()
  const close = () => setOpen(undefined)
  return (
    <Section
      title={w.domains}
      about={w.domainsHint}
      action={<Button onPress={() => setOpen('add')}>{w.addDomain}</Button>}
    >
      {error || !data ? (
        <NotRead error={error} onRetry={refetch} lines={2} />
      ) : data.length === 0 ? (
        <p className={styles.none}>{w.noDomains}</p>
      ) : (
        <ul className={styles.list}>
          {data.map(domain => (
            <li key={domain.id}>
              <div>
                <b>{domain.domain}</b>{' '}
                <Mark look={domain.verified_at ? 'good' : 'warn'}>
                  {domain.verified_at ? w.verified : w.notVerified}
                </Mark>
                {!domain.verified_at && (
                  <p className="soft">
                    {w.domainText}: <code>{domain.text}</code>
                  </p>
                )}
              </div>
              <div className={styles.acts}>
                {!domain.verified_at && (
                  <Button onPress={() => setOpen({ act: 'verify', domain })}>{w.verifyDomain}</Button>
                )}
                <Button
                  look="icon"
                  label={w.removeDomain(domain.domain)}
                  icon={Trash2}
                  onPress={() => setOpen({ act: 'remove', domain })}
                />
              </div>
            </li>
          ))}
        </ul>
      )}
      {open === 'add' && <AddDomain onClose={close} />}
      {typeof open === 'object' && (
        <ReasonDialog
          title={open.act === 'verify' ? w.verifyDomain : w.removeDomainTitle}
          about={open.domain.domain}
          revision={0}
          submit={open.act === 'verify' ? w.verifyDomain : w.submitRemove}
          look={open.act === 'verify' ? 'main' : 'danger'}
          hasReason={false}
          send={async () => {
            const path = { id: open.domain.id }
            if (open.act === 'verify') await call('POST /api/sso-domains/{id}/verify', { path })
            else await call('DELETE /api/sso-domains/{id}', { path })
          }}
          done={(open.act === 'verify' ? w.domainVerified : w.domainRemoved)(open.domain.domain)}
          onDone={() => void refresh()}
          onClose={close}
        >
          {open.act === 'verify' ? (
            <>
              <p>{w.verifyDomainHint}</p>
              <code className={styles.key}>{open.domain.text}</code>
            </>
          ) : (
            w.removeDomainHint
          )}
        </ReasonDialog>
      )}
    </Section>
  )
}

function AddDomain({ onClose }: { onClose: () => void }) {
  const { providers: w } = usePeopleWords()
  const [domain, setDomain] = useState('')
  const [isTried, setTried] = useState(false)
  const refresh = useRefresh()
  const isMissing = domain.trim() === ''
  return (
    <ReasonDialog
      title={w.addDomain}
      about={null}
      revision={0}
      submit={w.addDomain}
      hasReason={false}
      isComplete={() => {
        setTried(true)
        return !isMissing
      }}
      send={() => call('POST /api/sso-domains/', { body: { domain: domain.trim() } })}
      done={w.domainAdded(domain.trim())}
      onDone={() => void refresh()}
      onClose={onClose}
    >
      {problem => (
        <Field
          label={w.domain}
          isRequired
          autoFocus
          maxLength={253}
          value={domain}
          onChange={setDomain}
          wrong={problem?.of('domain') ?? (isTried && isMissing ? w.required : undefined)}
        />
      )}
    </ReasonDialog>
  )
}
