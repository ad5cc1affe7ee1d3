import { Type } from 'typebox'
import { openAction } from '#action'
import { Email } from '../schema.ts'
import { hasTenant } from '../tenants/actions.ts'

/** How the people of a mail domain log in. */
export interface SignInOptions {
  /** By a password. */
  password: boolean
  /** By a provider: its name, and the address of ours that sends a browser to it. */
  providers: { name: string; start: string }[]
}

declare module '#action/definitions.ts' {
  interface Services {
    /** By the domain alone, so that it says nothing of accounts; undefined for a domain that is nobody's. */
    signInOptions(domain: string): Promise<SignInOptions | undefined>
  }
}

/** It says the same of every account, so it tells nothing of them. */
export const logInOptions = openAction({
  summary: 'Read how people get into this service',
  description:
    'With `email`, how the people of its domain log in. Only the domain is looked at, and a domain that nobody has verified is answered like one without single sign-on.',
  input: { query: Type.Object({ email: Type.Optional(Email) }, { additionalProperties: false }) },
  response: Type.Object({
    password: Type.Boolean({ description: 'By user name or e-mail address, and password' }),
    providers: Type.Array(
      Type.Object({
        name: Type.String(),
        start: Type.String({ description: 'The address that a browser opens to log in by it' }),
      }),
    ),
    password_links: Type.Boolean({
      description: 'Whoever has forgotten the password gets a link by e-mail; without it an Admin sets a temporary one',
    }),
    passkeys: Type.Boolean({ description: '`POST /api/auth/passkeys/login` lets people in' }),
    registration: Type.Boolean({ description: '`POST /api/auth/register` creates accounts' }),
    first_start: Type.Boolean({
      description: 'There is no company yet: `POST /api/auth/first-start` makes it with the setup code of the log',
    }),
  }),
  async run({ services: { post, config, database, signInOptions } }, { query: { email } }) {
    const domain = email?.slice(email.lastIndexOf('@') + 1).toLowerCase()
    const known = domain === undefined ? undefined : await signInOptions(domain)
    return {
      ...(known ?? { password: true, providers: [] }),
      password_links: post !== undefined,
      passkeys: config.public_url !== undefined,
      registration: config.registration_enabled,
      first_start: !(await hasTenant(database)),
    }
  },
})
