// Carries out deploy/Dockerfile without a container engine, and tries what comes of it:
//
//   node tools/image-steps.ts [--packages-are-here]
//
// With --packages-are-here, for who has just run npm ci here, its packages are copied instead of being installed again.
//
// Each stage gets a root folder of its own, with this machine's Debian and this Node in place of the base image, or with what an
// earlier stage left. COPY, RUN, ENV, USER and the rest are read from the Dockerfile, and deploy/Dockerfile.dockerignore decides what is
// there to copy. The result is run as the image's user, without capabilities, on a root folder that is read-only but for its volumes
// and /tmp: it refuses a database that lacks migrations, migrates it, answers /api/health and its HEALTHCHECK, and ends at SIGTERM
// with code 0.
// Needs root on Linux (for mounts of its own), an installed PostgreSQL and the npm registry; where one is missing it says so, and code 0.
// It does not show that the base image can be pulled, nor what is in it.
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { basename, dirname, join, posix, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { provision } from '#platform/db/provision.ts'
import { urlsOf } from '#test/world/postgres.ts'
import { findPostgres, startPostgres } from './external-postgres.ts'
import { ignoreRules, readDockerfile, type Stage, type Step, substitute } from './image/dockerfile.ts'
import { temporaryParent } from './suites/temporary.ts'

const root = resolve(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
/** The base image's part of a stage: as on this machine, and not to be written. */
const system = ['usr', 'bin', 'sbin', 'lib', 'lib64', 'etc']
const node_folder = '/opt/node/bin'
const path_of_image = `${node_folder}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`
const hasPackages = process.argv.includes('--packages-are-here')
const longest_start_ms = 180_000
const longest_stop_ms = 35_000

const missing = await whatIsMissing()
if (missing) {
  console.log(`The steps of the image are LEFT OUT: ${missing}`)
  process.exit(0)
}

/** Everything of this run is below it; others may pass through, because the image's user does. */
const work = mkdtempSync(join(temporaryParent(), 'attest-image-'))
execFileSync('chmod', ['711', work])
const running = new Set<ChildProcess>()
const begun = performance.now()
const say = (line: string) => console.log(`${((performance.now() - begun) / 1000).toFixed(1).padStart(6)} s  ${line}`)
try {
  await main()
} finally {
  for (const child of running) child.kill('SIGKILL')
  rmSync(work, { recursive: true, force: true })
}

async function whatIsMissing() {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'they need root on Linux'
  const mounts = ['--mount', '--propagation', 'private', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']
  const tried = spawnSync('unshare', mounts, { encoding: 'utf8' })
  if (tried.status !== 0) return `this machine allows no mounts: ${tried.stderr}`
  if (!findPostgres()) return 'there is no PostgreSQL (apt install postgresql)'
  if (spawnSync('npm', ['--version']).status !== 0) return 'there is no npm'
  return undefined
}

interface Image {
  root: string
  environment: Map<string, string>
  folder: string
  user: string | undefined
  volumes: string[]
  command: string[]
  healthcheck: string[]
}

async function main() {
  const { args, stages } = readDockerfile(read('deploy/Dockerfile'))
  const context = makeContext()
  const made = new Map<string, Image>()
  let image: Image | undefined
  for (const [n, stage] of stages.entries()) {
    const earlier = made.get(stage.base)
    const base = substitute(stage.base, args)
    if (!earlier && !/^node:[\d.]+-bookworm-slim(@sha256:\w+)?$/.test(base))
      throw new Error(`the base ${base} has no stand-in here`)
    if (!earlier && !base.startsWith(`node:${process.versions.node}-`))
      say(`${base} is stood in for by Node ${process.versions.node}`)
    image = await build(stage, begin(join(work, `stage-${n}`), earlier), context, made)
    if (stage.alias) made.set(stage.alias, image)
  }
  await tryImage(image!)
}

/** The files that the ignore file lets into the build. */
function makeContext() {
  const folder = join(work, 'context')
  const isIgnored = ignoreRules(read('deploy/Dockerfile.dockerignore'))
  mkdirSync(folder)
  let count = 0
  const copy = (below: string) => {
    for (const entry of readdirSync(join(root, below), { withFileTypes: true })) {
      const path = posix.join(below, entry.name)
      if (path === 'node_modules' || path === '.git') assert.ok(isIgnored(path), `${path} would be sent to the builder`)
      else if (entry.isDirectory()) copy(path)
      else if (!isIgnored(path)) {
        mkdirSync(join(folder, below), { recursive: true })
        cpSync(join(root, path), join(folder, path), { verbatimSymlinks: true })
        count += 1
      }
    }
  }
  copy('')
  say(`${count} files are let into the build`)
  return folder
}

/** The base image, or an earlier stage as it was at its end. */
function begin(folder: string, earlier: Image | undefined): Image {
  if (!earlier) {
    return {
      root: makeRoot(folder),
      environment: new Map([['PATH', path_of_image]]),
      folder: '/',
      user: undefined,
      volumes: [],
      command: [],
      healthcheck: [],
    }
  }
  link(earlier.root, folder)
  return { ...earlier, root: folder, environment: new Map(earlier.environment), volumes: [...earlier.volumes] }
}

/** Linked, because a tree of packages is large: later steps add files to it and remove some, and write into none that another stage reads. */
function link(from: string, to: string) {
  execFileSync('cp', ['-a', '--link', '--no-target-directory', from, to])
}

async function build({ steps, alias }: Stage, image: Image, context: string, made: ReadonlyMap<string, Image>) {
  const args = new Map<string, string>()
  for (const step of steps) {
    say(`${alias ?? 'image'}: ${titleOf(step)}`)
    await carryOut(step, image, args, context, made)
  }
  return image
}

function titleOf(step: Step) {
  if (step.name === 'RUN') return `RUN ${step.command}`
  return step.name === 'COPY' ? `COPY ${step.sources.join(' ')} ${step.target}` : step.name
}

async function carryOut(
  step: Step,
  image: Image,
  args: Map<string, string>,
  context: string,
  made: ReadonlyMap<string, Image>,
) {
  const known = () => new Map([...args, ...image.environment])
  switch (step.name) {
    case 'ARG':
      return void args.set(step.variable, step.value ?? '')
    case 'ENV':
      for (const [key, value] of step.values) image.environment.set(key, substitute(value, known()))
      return
    case 'WORKDIR':
      image.folder = posix.resolve(image.folder, step.value)
      return void mkdirSync(join(image.root, image.folder), { recursive: true })
    case 'USER':
      image.user = step.value
      return
    case 'VOLUME':
      return void image.volumes.push(step.value)
    case 'EXPOSE':
      return
    case 'CMD':
      image.command = step.command
      return
    case 'HEALTHCHECK':
      image.healthcheck = step.command
      return
    case 'COPY': {
      const source = step.from ? made.get(step.from)?.root : context
      if (!source) throw new Error(`there is no stage ${step.from}`)
      return copyInto(image, source, step.sources, step.target)
    }
    case 'RUN': {
      if (hasPackages && step.command === 'npm ci') return copyPackages(image)
      const child = enter(image, ['/bin/sh', '-c', step.command], { stdio: ['ignore', 'pipe', 'pipe'] })
      const [code, out, err] = await Promise.all([once(child, 'exit'), text(child.stdout!), text(child.stderr!)])
      if (code[0] !== 0) throw new Error(`RUN ${step.command} ended with ${code[0]}\n${out}${err}`)
    }
  }
}

/** A folder's content, or files; into a folder where the target ends with a slash, is one, or there are several sources. */
function copyInto(image: Image, from: string, sources: string[], target: string) {
  const to = join(image.root, posix.resolve(image.folder, target))
  for (const source of sources) {
    const path = join(from, source)
    const isFolder = lstatSync(path).isDirectory()
    const isInto = !isFolder && (target.endsWith('/') || target === '.' || sources.length > 1)
    const final = isInto ? join(to, basename(source)) : to
    mkdirSync(isFolder ? final : dirname(final), { recursive: true })
    link(path, final)
  }
}

/** Copied, because npm writes over some files when it removes what the image does not need. */
function copyPackages(image: Image) {
  say('instead of it: a copy of what npm ci brought to this checkout')
  execFileSync('cp', ['-a', join(root, 'node_modules'), join(image.root, image.folder)])
  rmSync(join(image.root, image.folder, 'node_modules/.cache'), { recursive: true, force: true })
}

/** Where everything of the base will be mounted. */
function makeRoot(folder: string) {
  mkdirSync(folder)
  for (const name of system) {
    if (!existsSync(join('/', name))) continue
    if (lstatSync(join('/', name)).isSymbolicLink()) symlinkSync(readlinkSync(join('/', name)), join(folder, name))
    else mkdirSync(join(folder, name))
  }
  for (const name of ['dev', 'proc', 'tmp', 'root', 'var/tmp', 'npm-cache', node_folder])
    mkdirSync(join(folder, name), { recursive: true })
  const npm = realpathSync(execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim())
  assert.ok(npm.startsWith('/usr/'), `npm is in ${npm}, which a stage does not see`)
  writeFileSync(join(folder, node_folder, 'node'), '')
  writeFileSync(join(folder, node_folder, 'npm'), `#!/bin/sh\nexec ${node_folder}/node ${npm} "$@"\n`, { mode: 0o755 })
  return folder
}

/** The settings of this machine that npm needs to reach its registry. */
function ofMachine() {
  const names = /^(https?_proxy|no_proxy|npm_config_registry)$/i
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => names.test(name))) as Record<string, string>
}

interface Enter extends SpawnOptions {
  environment?: Record<string, string>
  /** As the image is run: its user, nothing to write but its volumes and /tmp. Otherwise as it is built. */
  asRun?: boolean
}

/** A program in the image's root, in mounts of its own, which end with it. Signals to the child reach the program. */
function enter(image: Image, command: string[], { environment = {}, asRun = false, ...options }: Enter) {
  const cache = execFileSync('npm', ['config', 'get', 'cache'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()
  mkdirSync(cache, { recursive: true })
  const authorities = process.env.NODE_EXTRA_CA_CERTS
  const lines = [
    'mount --bind "$R" "$R"',
    ...system
      .filter(name => existsSync(join('/', name)) && !lstatSync(join('/', name)).isSymbolicLink())
      .map(name => `mount --rbind /${name} "$R/${name}"; mount -o remount,bind,ro "$R/${name}"`),
    'mount --rbind /dev "$R/dev"; mount --rbind /proc "$R/proc"',
    `mount --bind "$NODE" "$R${node_folder}/node"`,
    ...(asRun ? [] : ['mount --bind "$CACHE" "$R/npm-cache"']),
    'mount -t tmpfs -o mode=1777 tmpfs "$R/tmp"',
    ...(authorities && !asRun
      ? [`mkdir -p "$R/var/tmp"; cp ${JSON.stringify(authorities)} "$R/tmp/authorities.pem"`]
      : []),
    ...(asRun
      ? [...image.volumes.map(volume => `mount --bind "$R${volume}" "$R${volume}"`), 'mount -o remount,bind,ro "$R"']
      : []),
  ]
  const [uid, gid] = image.user?.split(':') ?? []
  const lesser = asRun
    ? [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all']
    : []
  const variables = {
    HOME: asRun ? '/' : '/root',
    ...(!asRun && {
      ...ofMachine(),
      npm_config_cache: '/npm-cache',
      npm_config_update_notifier: 'false',
    }),
    ...(!asRun && authorities && { NODE_EXTRA_CA_CERTS: '/tmp/authorities.pem' }),
    ...Object.fromEntries(image.environment),
    ...environment,
  }
  // The outer programs have this machine's PATH, the inner one the image's.
  const inner = [
    'env',
    '-i',
    '-C',
    image.folder,
    ...Object.entries(variables).map(([key, value]) => `${key}=${value}`),
    ...command,
  ]
  const script = `${lines.join('\n')}\nexec chroot "$R" "$@"`
  const child = spawn(
    'unshare',
    [
      '--mount',
      '--propagation',
      'private',
      'sh',
      '-ec',
      script,
      'sh',
      ...(asRun ? ['setpriv', ...lesser] : []),
      ...inner,
    ],
    {
      ...options,
      env: {
        PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        R: image.root,
        NODE: process.execPath,
        CACHE: cache,
      },
    },
  )
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

/** Runs it to its end in the image, and answers its code and all that it said. */
async function runIn(image: Image, command: string[], environment: Record<string, string> = {}) {
  const child = enter(image, command, { asRun: true, environment, stdio: ['ignore', 'pipe', 'pipe'] })
  const [[code], out, err] = await Promise.all([once(child, 'exit'), text(child.stdout!), text(child.stderr!)])
  return { code: code as number, said: `${out}${err}` }
}

async function tryImage(image: Image) {
  checkFiles(image)
  for (const path of [posix.join(image.folder, 'x'), '/x', '/usr/x'])
    assert.notEqual((await runIn(image, ['touch', path])).code, 0, `${path} can be written`)
  for (const path of ['/tmp/x', ...image.volumes.map(volume => posix.join(volume, 'x'))])
    assert.equal((await runIn(image, ['sh', '-c', `touch ${path} && rm ${path}`])).code, 0, `${path} can be written`)
  say('the user of the image writes in its volumes and in /tmp alone')
  const { said } = await runIn(image, [...image.command, '--help'], { NODE_DEBUG_NATIVE: 'COMPILE_CACHE' })
  const found = [...said.matchAll(/for StrippedTypeScript (file:\S+?)\.\.\.success$/gm)].length
  const missed = [...said.matchAll(/no transpile cache for StrippedTypeScript (file:\S+)/g)].map(([, url]) => url)
  assert.ok(found > 500, `only ${found} files are there compiled`)
  assert.deepEqual(missed, [], 'what a start loads is there compiled')
  say(`${found} files of the program are there compiled`)

  const port = await freePort()
  const postgres = await startPostgres(findPostgres()!.bin, work, {
    listen_addresses: '127.0.0.1',
    port: await freePort(),
  })
  try {
    const { host, ...server } = new pg.Client({ connectionString: postgres.url })
    const { rows } = await ask(postgres.url, 'show port')
    const logins = await provision({ host, user: server.user!, port: Number(rows[0].port) }, 'attest')
    const overTcp = { app: { ...logins.app, host: '127.0.0.1' }, owner: { ...logins.owner, host: '127.0.0.1' } }
    const { DATABASE_URL, MIGRATION_DATABASE_URL } = urlsOf(overTcp)
    const environment = {
      SECRET_KEY: 'a1f0d2c3b4e5968778695a4b3c2d1e0f-image',
      HOST: '127.0.0.1',
      PORT: String(port),
      DATABASE_URL,
    }

    const early = await runIn(image, image.command, environment)
    assert.deepEqual([early.code, /no migrations are applied yet/.test(early.said)], [1, true], early.said)
    const migrated = await runIn(image, ['node', 'src/main.ts', 'migrate'], { ...environment, MIGRATION_DATABASE_URL })
    assert.equal(migrated.code, 0, migrated.said)
    say('the service refuses a database that lacks migrations, and migrate brings them')
    await tryService(image, environment, port)
  } finally {
    await postgres.stop()
  }
}

async function tryService(image: Image, environment: Record<string, string>, port: number) {
  const service = enter(image, image.command, { asRun: true, environment, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = Promise.all([text(service.stdout!), text(service.stderr!)])
  const health = () =>
    fetch(`http://127.0.0.1:${port}/api/health`).then(
      ({ status }) => status,
      () => 0,
    )
  for (const deadline = Date.now() + longest_start_ms; (await health()) !== 200; await setTimeout(100)) {
    if (service.exitCode !== null) throw new Error(`it ended with ${service.exitCode}: ${(await said).join('')}`)
    if (Date.now() > deadline) throw new Error('it did not answer within three minutes')
  }
  const uid = /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))![1]
  assert.equal(uid, image.user!.split(':')[0], 'the service runs as the user of the image')
  const healthcheck = await runIn(image, image.healthcheck, environment)
  assert.equal(healthcheck.code, 0, healthcheck.said)
  const page = await fetch(`http://127.0.0.1:${port}/control-panel/`)
  assert.equal(page.status, 200, 'the page that the first stage built is there')
  say(`GET /api/health answers 200, HEALTHCHECK ends with 0, the process belongs to user ${uid}`)

  const asked = performance.now()
  service.kill('SIGTERM')
  const late = AbortSignal.timeout(longest_stop_ms)
  const [code] = await once(service, 'exit', { signal: late })
  assert.equal(code, 0, (await said).join(''))
  say(`SIGTERM: it ended with code 0 after ${((performance.now() - asked) / 1000).toFixed(1)} s`)
  assert.notEqual(
    (await runIn(image, image.healthcheck, environment)).code,
    0,
    'HEALTHCHECK fails where nobody answers',
  )
}

/** The contents of the program's folder, which belong to root. */
function checkFiles({ root: folder, folder: program }: Image) {
  const list = (...options: string[]) =>
    execFileSync('find', [join(folder, program), ...options], { encoding: 'utf8', maxBuffer: 64 * 2 ** 20 })
      .split('\n')
      .filter(Boolean)
  assert.deepEqual(readdirSync(join(folder, program)).sort(), [
    'migrations',
    'node_modules',
    'package.json',
    'src',
    'verifier',
    'web',
  ])
  assert.deepEqual(
    list(
      '-not',
      '-path',
      '*/node_modules/*',
      '(',
      '-name',
      '*.test.ts',
      '-o',
      '-name',
      '.env*',
      '-o',
      '-name',
      '*.pem',
      ')',
    ),
    [],
  )
  assert.deepEqual(list('(', '-not', '-user', 'root', '-o', '-perm', '-o+w', ')', '-not', '-type', 'l'), [])
  const bytes = execFileSync('du', ['-sm', join(folder, program)], { encoding: 'utf8' }).split('\t')[0]
  say(`${program} holds ${bytes} MiB, all of root's`)
}

async function ask(connectionString: string, statement: string) {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return await client.query(statement)
  } finally {
    await client.end()
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
