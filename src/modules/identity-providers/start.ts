import { Type } from 'typebox'
import { openRedirect } from '#action'
import { RedirectAnswer } from '#action/cookie-answer.ts'
import { notFound } from '#kernel/errors.ts'
import { providerAt, publicUrl } from './access.ts'
import { beginAttempt } from './attempts.ts'
import { ProviderFailed } from './oidc.ts'
import { ReturnTo, StartParams } from './schema.ts'

export const start = openRedirect({
  summary: 'Log in by a provider',
  description:
    'A browser opens it. It sends the browser to the provider, with a cookie that lets this browser alone come back, within ten minutes.',
  input: {
    params: StartParams,
    query: Type.Object({ return_to: Type.Optional(ReturnTo) }, { additionalProperties: false }),
  },
  isSignInStep: true,
  async run({ services, origin }, { params, query }) {
    const address = publicUrl(services)
    const provider = await providerAt(services, params)
    if (!provider.is_active) throw notFound('Provider')
    try {
      const { location, cookie } = await beginAttempt(services, {
        ...{ provider, kind: 'login', userId: null, returnTo: query.return_to },
      })
      return new RedirectAnswer(location, { login: cookie })
    } catch (error) {
      if (!(error instanceof ProviderFailed)) throw error
      services.log
        .child({ logger: 'attest.accounts' })
        .warn(`provider ${provider.id}: no log-in could begin: ${error.message}`)
      return new RedirectAnswer(`${address}/sign-in?error=provider_unavailable&reference=${origin.requestId}`)
    }
  },
})
