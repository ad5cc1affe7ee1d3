import assert from 'node:assert/strict'
import { type Idp, openIdpBrowser } from '../fakes/oidc.ts'
import { until } from '../world/background.ts'
import type { World } from '../world/world.ts'
import { accepted } from './samples.ts'
import { loginCookieIn, openSsoBrowser } from './single-sign-on.ts'

type IdpBrowser = ReturnType<typeof openIdpBrowser>
/** A provider of any make. */
type At = Pick<Idp, 'issuer'>
type Reply = Awaited<ReturnType<World['server']['inject']>>

/** An address of a provider as somebody leaves it who does not want the person to be asked. */
export function withoutPrompt(start: string): string {
  const url = new URL(start)
  url.searchParams.delete('prompt')
  url.searchParams.delete('max_age')
  return url.href
}

const second = () => Math.floor(Date.now() / 1000)
/** Providers say the moment of a log-in in whole seconds, and none counts twice. */
export async function inTheNextSecond() {
  const from = second()
  await until(() => second() > from)
}

/** Tries whether people can sign by a provider; where the browser is sent in the end. */
export async function testSigning(
  world: World,
  idp: At,
  id: number,
  {
    browser = openIdpBrowser(idp),
    turn = (start: string) => start,
  }: { browser?: IdpBrowser; turn?: (start: string) => string } = {},
) {
  const begun = await accepted(
    world.as('ada').post(`/api/identity-providers/${id}/test-signing`, { return_to: '/sso' }),
  )
  const here = openSsoBrowser(world)
  const first = await here.comesBack(await browser.follow(turn(begun.json().start)), { cookie: loginCookieIn(begun) })
  if (!first.location.startsWith(idp.issuer)) return first.location
  const second = await browser.follow(first.location)
  return (await here.comesBack(second, { cookie: loginCookieIn(first.reply) })).location
}

/** Admits a provider for signatures, as ada does after the test. */
export async function admitSigning(world: World, idp: Idp, id: number) {
  idp.logsIn({ sub: 'tester' })
  const location = await testSigning(world, idp, id)
  assert.match(location, /single_sign_on=signing_tested$/)
  await accepted(world.as('ada').put(`/api/identity-providers/${id}`, { may_sign: true }))
}

/** Begins to sign by the provider. */
export const beginByProvider = (
  post: (url: string, body: object) => Promise<Reply>,
  acts: readonly { path: string; body: object }[],
  return_to = '/tasks',
) =>
  post('/api/signing-challenges/', {
    kind: 'provider',
    acts: acts.map(act => ({ method: 'POST', ...act })),
    return_to,
  })

/** Goes to the provider with what was begun, and comes back. */
export async function answerAtProvider(
  world: World,
  idp: At,
  begun: Reply,
  {
    browser = openIdpBrowser(idp),
    turn = (start: string) => start,
  }: { browser?: IdpBrowser; turn?: (start: string) => string } = {},
) {
  await inTheNextSecond()
  const back = await browser.follow(turn(begun.json().start))
  const came = await openSsoBrowser(world).comesBack(back, { cookie: loginCookieIn(begun) })
  return { ...came, back, outcome: new URL(came.location).searchParams.get('single_sign_on') }
}
