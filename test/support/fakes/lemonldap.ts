// A real LemonLDAP::NG for the tests, as Debian has it (liblemonldap-ng-portal-perl libio-string-perl libstring-random-perl): another make of
// provider than oidc-provider, in another language. One process on 127.0.0.1 behind TLS, with all that it writes in a temporary folder. It
// has its own people: rtyler and msmith of the group earthlings, dwho of the group timelords, each with their name as the password.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { certificate, client, openIdpBrowser, publicUrl, redirect_uri } from './oidc.ts'

const program = process.env.TEST_LEMONLDAP || '/usr/bin/plackup'
const start_timeout_ms = 60_000
/** It asks nobody anew who has logged in less than that ago, whatever the prompt says: longer than a busy machine takes for two signatures. */
export const asks_anew_after_s = 15

/** It would load what draws captchas, and with that ImageMagick; nobody is asked for one. */
const portal = `BEGIN { package GD::SecurityImage; $INC{'GD/SecurityImage.pm'} = __FILE__; sub import {} }
use Lemonldap::NG::Portal::Main;
Lemonldap::NG::Portal::Main->run({});
`

export async function openLemonldap() {
  const folder = mkdtempSync(join(tmpdir(), 'attest-lemonldap-'))
  const port = await freePort()
  const edge = createServer({ key: certificate.key, cert: certificate.cert }, (incoming, response) => {
    const { method, url, headers } = incoming
    const sent = request({ host: '127.0.0.1', port, method, path: url, headers, agent: false }, reply => {
      response.writeHead(reply.statusCode!, reply.rawHeaders)
      reply.pipe(response)
    })
    sent.on('error', () => response.destroy())
    incoming.pipe(sent)
  })
  await new Promise<void>(resolve => void edge.listen(0, '127.0.0.1', resolve))
  const issuer = `https://127.0.0.1:${(edge.address() as AddressInfo).port}`
  writeConfiguration(folder, issuer)
  const server = spawn(
    program,
    [
      '-s',
      'HTTP::Server::PSGI',
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      '-E',
      'deployment',
      join(folder, 'portal.psgi'),
    ],
    {
      env: {
        PATH: '/usr/bin:/bin',
        LC_ALL: 'C.UTF-8',
        TZ: 'UTC',
        LLNG_DEFAULTCONFFILE: join(folder, 'lemonldap-ng.ini'),
      },
      stdio: 'ignore',
    },
  )
  // Reads to the end of this process, however that comes.
  const guard = spawn('sh', ['-c', 'read _; kill -KILL "$0"', String(server.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  const ended = once(server, 'exit').finally(() => guard.kill('SIGKILL'))
  async function close() {
    server.kill('SIGKILL')
    await ended
    await new Promise<void>(resolve => {
      edge.close(() => resolve())
      edge.closeAllConnections()
    })
    rmSync(folder, { recursive: true })
  }
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/.well-known/openid-configuration`).then(
      ({ status }) => status === 200,
      () => false,
    )
  for (const deadline = Date.now() + start_timeout_ms; !(await answers()); await setTimeout(50))
    if (server.exitCode !== null || Date.now() > deadline) {
      await close()
      throw new Error('LemonLDAP::NG did not start')
    }
  return { issuer, close }
}
export type Lemonldap = Awaited<ReturnType<typeof openLemonldap>>

function writeConfiguration(folder: string, issuer: string) {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const kept = (name: string) => {
    mkdirSync(join(folder, name, 'lock'), { recursive: true })
    return { Directory: join(folder, name), LockDirectory: join(folder, name, 'lock') }
  }
  const named = (prefix: string, values: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}${name}`, value]))
  mkdirSync(join(folder, 'conf'))
  writeFileSync(
    join(folder, 'conf/lmConf-1.json'),
    JSON.stringify({
      ...{ cfgNum: 1, cfgAuthor: 'tests', cfgDate: '1', cfgVersion: '2.16.1' },
      ...{ portal: `${issuer}/`, domain: '127.0.0.1', cookieName: 'lemonldap', securedCookie: 1 },
      key: randomBytes(16).toString('hex'),
      // Its people for trying it out, so that no directory is needed.
      ...{ authentication: 'Demo', userDB: 'Same', passwordDB: 'Null', registerDB: 'Null' },
      demoExportedVars: { cn: 'cn', mail: 'mail', uid: 'uid' },
      macros: { _whatToTrace: 'lc($_user)' },
      ...{ globalStorage: 'Apache::Session::File', globalStorageOptions: kept('sessions') },
      ...{ persistentStorage: 'Apache::Session::File', persistentStorageOptions: kept('persistent') },
      localSessionStorage: '',
      portalForceAuthnInterval: asks_anew_after_s,
      locationRules: { '127.0.0.1': { default: 'accept' } },
      ...{ issuerDBOpenIDConnectActivation: 1, issuerDBOpenIDConnectPath: '^/oauth2/' },
      ...named('oidcService', {
        MetaDataIssuer: issuer,
        PrivateKeySig: privateKey,
        PublicKeySig: publicKey,
        KeyIdSig: 'lemon',
        AllowAuthorizationCodeFlow: 1,
        MetaDataAuthnContext: { 'loa-1': 1 },
      }),
      oidcRPMetaDataOptions: {
        attest: named('oidcRPMetaDataOptions', {
          ClientID: client.client_id,
          ClientSecret: client.client_secret,
          RedirectUris: redirect_uri,
          PostLogoutRedirectUris: `${publicUrl}/sign-in`,
          IDTokenSignAlg: 'RS256',
          IDTokenForceClaims: 1,
          RequirePKCE: 1,
          BypassConsent: 1,
          LogoutBypassConfirm: 1,
          UserIDAttr: 'uid',
        }),
      },
      oidcRPMetaDataExportedVars: {
        attest: { email: 'mail', name: 'cn', preferred_username: 'uid', groups: 'groups;string;always' },
      },
      oidcRPMetaDataOptionsExtraClaims: { attest: { groups: 'groups' } },
    }),
  )
  writeFileSync(
    join(folder, 'lemonldap-ng.ini'),
    `[all]
logLevel = error
logger = Lemonldap::NG::Common::Logger::Std
userLogger = Lemonldap::NG::Common::Logger::Std
[configuration]
type = File
dirName = ${join(folder, 'conf')}
[portal]
staticPrefix = /static
templateDir = /usr/share/lemonldap-ng/portal/templates
languages = en
`,
  )
  writeFileSync(join(folder, 'portal.psgi'), portal)
}

async function freePort() {
  const server = createTcpServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise(done => server.close(done))
  return port
}

/** The browser of a person there, who fills in its forms when it asks. */
export function openLemonldapBrowser({ issuer }: Pick<Lemonldap, 'issuer'>, name: string) {
  const browser = openIdpBrowser({ issuer })
  const state = { name, passwords: 0 }
  return {
    ...browser,
    state,
    /** Follows its pages until it sends the browser back to the service: that address. */
    async follow(start: string): Promise<URL> {
      let [url, form]: [string, Record<string, string> | undefined] = [start, undefined]
      for (let steps = 0; steps < 10; steps++) {
        const { status, location, body } = await browser.post(url, form)
        if (location !== undefined) {
          ;[url, form] = [new URL(location, url).href, undefined]
          if (!url.startsWith(issuer)) return new URL(url)
          continue
        }
        const [text] = /<form[\s\S]*?<\/form>/.exec(body) ?? []
        assert.ok(text, `LemonLDAP::NG answers ${url} with ${status}: ${body.slice(0, 2000)}`)
        form = fieldsOf(text)
        if ('password' in form) {
          form = { ...form, user: state.name, password: state.name }
          state.passwords++
        }
        const action = /<form[^>]*\saction="([^"#]+)"/.exec(text)?.[1]
        if (action !== undefined) url = new URL(action, url).href
      }
      throw new Error('LemonLDAP::NG never sends the browser back')
    },
  }
}

const fieldsOf = (form: string): Record<string, string> =>
  Object.fromEntries(
    [...form.matchAll(/<input[^>]*\sname="([^"]+)"[^>]*>/g)].map(([input, name]) => [
      name!,
      decode(/\svalue="([^"]*)"/.exec(input)?.[1] ?? ''),
    ]),
  )

const decode = (text: string) =>
  text.replace(/&#x([0-9a-f]+);/gi, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16))).replaceAll('&amp;', '&')
