import { useMutation, useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { CircleCheck, ExternalLink, Power, Signature, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { type Answer, call } from '../../../api/client.ts'
import type { Problem } from '../../../api/problem.ts'
import { ask } from '../../../api/queries.ts'
import { paths } from '../../../app/paths.ts'
import { ReasonDialog, withReason } from '../../../records/dialogs/reason-dialog.tsx'
import { FactList } from '../../../records/fact-list.tsx'
import { RecordHead } from '../../../records/record-head.tsx'
import page from '../../../records/record-page.module.css'
import { Button } from '../../../ui/button.tsx'
import { NotPermitted, NotRead, Refused } from '../../../ui/notes.tsx'
import { useTitle } from '../../../ui/use-title.ts'
import { useFormat } from '../../../words/index.ts'
import { useWhyNot } from '../../session/session.ts'
import { Section } from '../parts.tsx'
import styles from '../people.module.css'
import { usePeopleWords } from '../words.ts'
import { Mappings } from './mappings.tsx'
import { type Provider, ProviderForm } from './provider-form.tsx'
import { ProviderMarks } from './providers-page.tsx'

export function NewIdentityProviderPage() {
  const { providers: w } = usePeopleWords()
  const whyNot = useWhyNot('sso.manage')
  useTitle(w.create)
  if (whyNot !== undefined) return <NotPermitted why={whyNot} />
  return (
    <div className={page.page}>
      <RecordHead list={paths.identityProviders} back={w.back} title={w.create} state={null} />
      <ProviderForm />
    </div>
  )
}

/** One provider: its settings, its tests, and what it gives. */
export function IdentityProviderPage() {
  const { providers: w } = usePeopleWords()
  const { id } = useParams({ from: '/app/administration/admin/identity-providers/$id' })
  const { data: provider, error, refetch } = useQuery(ask('GET /api/identity-providers/{id}', { path: { id } }))
  useTitle(provider?.name)
  if (error || !provider) return <NotRead error={error} onRetry={refetch} lines={12} />
  return (
    <div className={page.page}>
      <RecordHead
        list={paths.identityProviders}
        back={w.back}
        title={provider.name}
        actions={<Switches of={provider} />}
        state={<ProviderMarks of={provider} />}
      >
        <Outcome />
        {provider.is_altered && <Altered of={provider} />}
      </RecordHead>
      <div className={page.columns}>
        <div>
          <Tests of={provider} />
          <Mappings of={provider} />
          <Section title={w.editTitle}>
            <ProviderForm key={provider.revision} of={provider} />
          </Section>
        </div>
        <div className={page.side}>
          <ToEnter of={provider} />
        </div>
      </div>
    </div>
  )
}

/** How a test ended that led away from this page. */
function Outcome() {
  const { providers: w } = usePeopleWords()
  const { single_sign_on } = useSearch({ from: '/app/administration/admin/identity-providers/$id' })
  if (single_sign_on === undefined) return null
  const said = { tested: w.tested, signing_tested: w.signingWorks }[single_sign_on]
  return (
    <p className={said ? `${styles.note} ${styles.good}` : styles.note} role="status">
      {said ? <CircleCheck size={16} aria-hidden="true" /> : <TriangleAlert size={16} aria-hidden="true" />}
      {said ?? w.testFailed}
    </p>
  )
}

function Altered({ of: provider }: { of: Provider }) {
  const { providers: w } = usePeopleWords()
  const [isOpen, setOpen] = useState(false)
  return (
    <div className={styles.note} role="alert">
      <TriangleAlert size={16} aria-hidden="true" />
      <div>{w.altered}</div>
      <Button onPress={() => setOpen(true)}>{w.confirm}</Button>
      {isOpen && (
        <ReasonDialog
          title={w.confirmTitle}
          about={provider.name}
          revision={provider.revision}
          submit={w.confirm}
          look="danger"
          isRequired
          send={(revision, reason) =>
            call('POST /api/identity-providers/{id}/confirm-settings', {
              path: { id: provider.id },
              body: { revision, ...withReason(reason) },
            })
          }
          done={w.confirmed}
          onClose={() => setOpen(false)}
        >
          {w.alteredHint}
        </ReasonDialog>
      )}
    </div>
  )
}

/** Whether people get in by it, and whether they sign by it. */
function Switches({ of: provider }: { of: Provider }) {
  const { providers: w } = usePeopleWords()
  const [open, setOpen] = useState<'active' | 'signing'>()
  const { is_active, may_sign } = provider
  const isOn = open === 'active' ? is_active : may_sign
  const said =
    open === 'active'
      ? isOn
        ? { title: w.switchOffTitle, hint: w.switchOffHint(provider.linked_users), submit: w.switchOff }
        : { title: w.switchOnTitle, hint: w.switchOnHint, submit: w.switchOn }
      : isOn
        ? { title: w.endSignTitle, hint: w.endSignHint, submit: w.endSign }
        : { title: w.letSignTitle, hint: w.letSignHint, submit: w.letSign }
  return (
    <span className={styles.headTools} data-print="none">
      <Button
        icon={Signature}
        whyNot={!may_sign && provider.signing_tested_at === null ? w.untested : undefined}
        onPress={() => setOpen('signing')}
      >
        {may_sign ? w.endSign : w.letSign}
      </Button>
      <Button icon={Power} onPress={() => setOpen('active')}>
        {is_active ? w.switchOff : w.switchOn}
      </Button>
      {open && (
        <ReasonDialog
          title={said.title}
          about={provider.name}
          revision={provider.revision}
          submit={said.submit}
          look={isOn ? 'danger' : 'main'}
          send={(revision, reason) =>
            call('PUT /api/identity-providers/{id}', {
              path: { id: provider.id },
              body: {
                ...(open === 'active' ? { is_active: !is_active } : { may_sign: !may_sign }),
                revision,
                ...withReason(reason),
              },
            })
          }
          done={w.saved(provider.name)}
          onClose={() => setOpen(undefined)}
        >
          {said.hint}
        </ReasonDialog>
      )}
    </span>
  )
}

function Tests({ of: provider }: { of: Provider }) {
  const { providers: w } = usePeopleWords()
  const return_to = `/admin/identity-providers/${provider.id}`
  const { mutate, isPending, error } = useMutation<{ start: string }, Problem, 'test' | 'test-signing'>({
    mutationFn: kind =>
      call(
        kind === 'test' ? 'POST /api/identity-providers/{id}/test' : 'POST /api/identity-providers/{id}/test-signing',
        { path: { id: provider.id }, body: { return_to } },
      ),
    // The provider has its own page: the way back is its.
    onSuccess: ({ start }) => location.assign(start),
  })
  const metadata = useMutation<Answer<'POST /api/identity-providers/{id}/read-metadata'>, Problem>({
    mutationFn: () => call('POST /api/identity-providers/{id}/read-metadata', { path: { id: provider.id } }),
  })
  const yes = (is: boolean) => (is ? w.yes : w.no)
  return (
    <Section title={w.tests}>
      <ul className={styles.list}>
        <li>
          <div>
            <b>{w.metadata}</b>
            <p className="soft">{w.metadataHint}</p>
          </div>
          <Button isPending={metadata.isPending} onPress={() => metadata.mutate()}>
            {w.metadata}
          </Button>
        </li>
        <li>
          <div>
            <b>{w.test}</b>
            <p className="soft">{w.testHint}</p>
          </div>
          <Button icon={ExternalLink} isPending={isPending} onPress={() => mutate('test')}>
            {w.test}
          </Button>
        </li>
        <li>
          <div>
            <b>{w.testSigning}</b>
            <p className="soft">{w.testSigningHint}</p>
          </div>
          <Button icon={ExternalLink} isPending={isPending} onPress={() => mutate('test-signing')}>
            {w.testSigning}
          </Button>
        </li>
      </ul>
      {(error ?? metadata.error) && <Refused error={(error ?? metadata.error)!} />}
      {metadata.data && (
        <FactList
          facts={[
            [w.offers.algorithms, metadata.data.algorithms.join(', ')],
            [w.offers.pushed, yes(metadata.data.pushed_requests)],
            [w.offers.endSession, yes(metadata.data.end_session)],
            [w.offers.backChannel, yes(metadata.data.back_channel_logout)],
          ]}
        />
      )}
    </Section>
  )
}

/** What has to be entered at the provider, and what else is known of it. */
function ToEnter({ of: provider }: { of: Provider }) {
  const { providers: w, people } = usePeopleWords()
  const { moment } = useFormat()
  const { client_jwks, signing_tested_at } = provider
  return (
    <section className={styles.side} aria-labelledby="to-enter">
      <h2 id="to-enter">{w.toEnter}</h2>
      <FactList
        facts={[
          [w.redirectUri, <code key="redirect">{provider.redirect_uri}</code>],
          [w.logoutUri, <code key="logout">{provider.back_channel_logout_uri}</code>],
          [w.clientKey, client_jwks && <code>{JSON.stringify(client_jwks)}</code>],
          [w.linked, people(provider.linked_users)],
          [w.signingTested, signing_tested_at ? moment(signing_tested_at) : w.notTested],
        ]}
      />
    </section>
  )
}
