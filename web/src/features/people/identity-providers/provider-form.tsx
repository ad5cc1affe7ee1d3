import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type Answer, call } from '../../../api/client.ts'
import type { Problem } from '../../../api/problem.ts'
import { askAll } from '../../../api/queries.ts'
import { paths } from '../../../app/paths.ts'
import { withReason } from '../../../records/dialogs/reason-dialog.tsx'
import form from '../../../records/form-page.module.css'
import { bindingOf } from '../../../ui/binding.ts'
import { Button } from '../../../ui/button.tsx'
import { Choice } from '../../../ui/choice.tsx'
import { Field } from '../../../ui/field.tsx'
import { Form } from '../../../ui/form.tsx'
import { Refused } from '../../../ui/notes.tsx'
import { Select } from '../../../ui/select.tsx'
import { announce } from '../../../ui/toasts.tsx'
import { useRefresh } from '../parts.tsx'
import styles from '../people.module.css'
import { usePeopleWords } from '../words.ts'

export type Provider = Answer<'GET /api/identity-providers/{id}'>

const tokenAuths = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const
const subjectClaims = ['sub', 'oid'] as const
const provisionings = ['linked', 'create'] as const
const roleSources = ['service', 'claims'] as const

const fieldsOf = (provider: Provider | undefined) => ({
  name: provider?.name ?? '',
  slug: provider?.slug ?? '',
  issuer: provider?.issuer ?? '',
  client_id: provider?.client_id ?? '',
  client_secret: '',
  token_auth: provider?.token_auth ?? tokenAuths[0],
  subject_claim: provider?.subject_claim ?? subjectClaims[0],
  provisioning: provider?.provisioning ?? provisionings[0],
  roles_from: provider?.roles_from ?? roleSources[0],
  default_role: provider?.default_role_id ? String(provider.default_role_id) : '',
  scopes: (provider?.scopes ?? ['openid', 'email', 'profile']).join(' '),
  mfa: (provider?.provider_mfa_values ?? []).join(' '),
  reason: '',
})

const wordsIn = (text: string) => text.split(/\s+/).filter(Boolean)

/** The settings of a provider; without one, of a new one. */
export function ProviderForm({ of: provider, onDone }: { of?: Provider; onDone?: () => void }) {
  const { providers: w, reason: reasonLabel, reasonHint, save } = usePeopleWords()
  const navigate = useNavigate()
  const refresh = useRefresh()
  const { data: roles = [] } = useQuery(askAll('GET /api/roles/', { query: { sort: 'name:asc' } }))
  const [fields, setFields] = useState(() => fieldsOf(provider))
  const [isTried, setTried] = useState(false)
  const change = (next: Partial<typeof fields>) => setFields(before => ({ ...before, ...next }))
  const isOther =
    provider !== undefined &&
    (fields.issuer.trim() !== provider.issuer || fields.client_id.trim() !== provider.client_id)
  const needsSecret = fields.token_auth !== 'private_key_jwt' && (!provider || isOther)
  const required = [
    'name',
    'issuer',
    'client_id',
    ...(provider ? [] : ['slug']),
    ...(needsSecret ? ['client_secret'] : []),
  ]
  const isComplete = required.every(each => fields[each as 'name'].trim() !== '')
  const { mutate, isPending, error } = useMutation<Provider, Problem>({
    mutationFn: () => {
      const { token_auth, subject_claim, provisioning, roles_from, client_secret } = fields
      const body = {
        name: fields.name.trim(),
        issuer: fields.issuer.trim(),
        client_id: fields.client_id.trim(),
        ...(client_secret && token_auth !== 'private_key_jwt' && { client_secret }),
        ...{ token_auth, subject_claim, provisioning, roles_from },
        default_role_id: fields.default_role ? Number(fields.default_role) : null,
        scopes: wordsIn(fields.scopes),
        provider_mfa_values: wordsIn(fields.mfa),
      }
      return provider
        ? call('PUT /api/identity-providers/{id}', {
            path: { id: provider.id },
            body: { ...body, revision: provider.revision, ...withReason(fields.reason.trim() || undefined) },
          })
        : call('POST /api/identity-providers/', { body: { ...body, slug: fields.slug.trim() } })
    },
    onSuccess: async answer => {
      announce((provider ? w.saved : w.created)(answer.name))
      await refresh()
      if (!provider) void navigate({ to: paths.identityProvider, params: { id: answer.id } })
      onDone?.()
    },
    onError: ({ status }) => {
      change({ client_secret: '' })
      if (status === 409) void refresh()
    },
  })
  const send = () => {
    setTried(true)
    if (!isPending && isComplete) mutate()
  }
  const text = (name: 'name' | 'slug' | 'issuer' | 'client_id') => ({
    value: fields[name],
    onChange: (next: string) => change({ [name]: next }),
    isRequired: true,
    wrong: error?.of(name) ?? (isTried && fields[name].trim() === '' ? w.required : undefined),
  })
  const bind = bindingOf(fields, change)
  return (
    <Form className={form.form} onSend={send}>
      <Field label={w.name} hint={w.nameHint} maxLength={100} {...text('name')} />
      {!provider && <Field label={w.slug} hint={w.slugHint} maxLength={63} {...text('slug')} />}
      <Field label={w.issuer} hint={w.issuerHint} inputMode="url" {...text('issuer')} />
      <Field label={w.clientId} maxLength={300} {...text('client_id')} />
      {isOther && <Refused>{w.changeWarning}</Refused>}
      <Select
        label={w.tokenAuth}
        options={tokenAuths.map(id => ({ id, name: w.tokenAuths[id] }))}
        value={fields.token_auth}
        onChange={next => change({ token_auth: tokenAuths.find(each => each === next) ?? tokenAuths[0] })}
        wrong={error?.of('token_auth')}
      />
      {fields.token_auth !== 'private_key_jwt' && (
        <Field
          label={w.secret}
          hint={needsSecret ? w.secretHint : w.secretKeep}
          type="password"
          autoComplete="off"
          maxLength={1000}
          isRequired={needsSecret}
          {...bind('client_secret')}
          wrong={
            error?.of('client_secret') ??
            (isTried && needsSecret && fields.client_secret === '' ? w.required : undefined)
          }
        />
      )}
      <Choice
        label={w.subjectClaim}
        options={subjectClaims.map(id => ({ id, name: w.subjectClaims[id] }))}
        {...bind('subject_claim', error)}
      />
      <Choice
        label={w.provisioning}
        options={provisionings.map(id => ({ id, name: w.provisionings[id] }))}
        {...bind('provisioning', error)}
      />
      <Choice
        label={w.rolesFrom}
        options={roleSources.map(id => ({ id, name: w.rolesFroms[id] }))}
        {...bind('roles_from', error)}
      />
      <Select
        label={w.defaultRole}
        options={roles.map(({ id, name }) => ({ id: String(id), name }))}
        value={fields.default_role}
        placeholder={w.noDefault}
        onChange={next => change({ default_role: next })}
        wrong={error?.of('default_role_id')}
      />
      <Field label={w.scopes} hint={w.scopesHint} {...bind('scopes')} wrong={error?.within('scopes')} />
      <Field label={w.mfa} hint={w.mfaHint} {...bind('mfa')} wrong={error?.within('provider_mfa_values')} />
      {provider && (
        <Field
          label={reasonLabel}
          hint={reasonHint}
          rows={2}
          maxLength={2000}
          {...bind('reason')}
          wrong={error?.of('change_reason')}
        />
      )}
      {error && error.issues.length === 0 && <Refused error={error} />}
      <div className={styles.tools}>
        <Button type="submit" look="main" isPending={isPending}>
          {provider ? save : w.submitNew}
        </Button>
      </div>
    </Form>
  )
}
