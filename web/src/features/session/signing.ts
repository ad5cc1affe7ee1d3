import { useQuery } from '@tanstack/react-query'
import { type Answer, call, type Given, type Operation, type Operations } from '../../api/client.ts'
import { ask } from '../../api/queries.ts'
import { useMe } from './session.ts'
import { askPasskey } from './webauthn.ts'

/** The operations that take a proof of identity. */
export type SignedOperation = {
  [N in Operation]: [Operations[N]['body']] extends [{ signing_challenge?: number }] ? N : never
}[Operation]
/** A request that is signed, without its proof of identity. */
export interface Act<N extends SignedOperation = SignedOperation> {
  name: N
  path: Given<N>['path']
  body: Given<N>['body']
}

const begin = ({ name, path, body }: Act, kind: 'passkey' | 'provider', return_to?: string) => {
  const [method, template] = name.split(' ') as ['POST', string]
  const url = template.replaceAll(/\{(\w+)\}/g, (_, key: string) => String((path as Record<string, unknown>)[key]))
  return call('POST /api/signing-challenges/', {
    body: { kind, acts: [{ method, path: url, body: { ...body } }], ...(return_to && { return_to }) },
  })
}

/** The device signs what is about to be done, and to which content; then it is done. */
export async function signByPasskey<N extends SignedOperation>(act: Act<N>): Promise<Answer<N>> {
  const challenge = await begin(act, 'passkey')
  const response = await askPasskey(challenge.passkey!)
  await call('POST /api/signing-challenges/{id}/passkey', { path: { id: challenge.id }, body: { response } })
  return signWith(act, challenge.id)
}

export const signWith = <N extends SignedOperation>(
  { name, path, body }: Act<N>,
  challenge: number,
): Promise<Answer<N>> => call(name, { path, body: { ...body, signing_challenge: challenge } } as unknown as Given<N>)

/** What waits while a browser is at the provider: in this tab alone, by person, and gone with the log-out, as a draft. */
export interface Waiting {
  challenge: number
  act: Act
  /** What the person saw above the button. */
  title: string
  as: string
  button: string
  back: string
}
const keyOf = (userId: number) => `draft signing ${userId}`

export function readWaiting(userId: number): Waiting | undefined {
  const kept = sessionStorage.getItem(keyOf(userId))
  return kept === null ? undefined : (JSON.parse(kept) as Waiting)
}
export const dropWaiting = (userId: number) => sessionStorage.removeItem(keyOf(userId))

/** Leaves the page for a new log-in at the provider, which names what is signed. */
export async function goToProvider(userId: number, returnTo: string, waiting: Omit<Waiting, 'challenge'>) {
  const { id, start } = await begin(waiting.act, 'provider', returnTo)
  sessionStorage.setItem(keyOf(userId), JSON.stringify({ ...waiting, challenge: id }))
  location.assign(start!)
}

/** By what this person can prove who they are, as far as a page can know it before the service is asked. */
export function useSigningWays() {
  const { features, totp_enrolled } = useMe()
  const { methods, otp } = features.signature
  const mayUsePasskey = features.passkeys && methods.includes('passkey')
  const mayUseProvider = features.passkeys && methods.includes('provider')
  const passkeys = useQuery({ ...ask('GET /api/auth/passkeys/', {}), enabled: mayUsePasskey })
  const identities = useQuery({ ...ask('GET /api/auth/identities', {}), enabled: mayUseProvider })
  return {
    isLoading: passkeys.isLoading || identities.isLoading,
    password: methods.includes(totp_enrolled ? 'password_otp' : 'password') && (totp_enrolled || !otp),
    passkey: mayUsePasskey && (passkeys.data?.length ?? 0) > 0,
    /** The name of the one that knows this person. Whether it may sign, the service says. */
    provider: mayUseProvider ? identities.data?.[0]?.provider.name : undefined,
  }
}
