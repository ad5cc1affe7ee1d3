// Loaded before each suite (node --import). A suite ends by itself once its last test is over, and leaves its process as it found it:
// one that keeps something open would wait for the limit of the whole run, and what one changes meets the next suite of its process.
import { after, beforeEach } from 'node:test'
import { isSuite, stopFollowing } from './untracked-promises.ts'

const look_every_ms = 100
/**
 * How long a suite has to close what it has opened. A moment in which nothing runs counts as one look, however long it is: a machine
 * that stands still is no defect of the suite.
 */
const most_looks = Number(process.env.TEST_ENDS_WITHIN_MS || 30_000) / look_every_ms

const watched = ['uncaughtException', 'unhandledRejection', 'warning', 'SIGINT', 'SIGTERM', 'SIGHUP'] as const
const globals = { fetch, setTimeout, setInterval, setImmediate, queueMicrotask }

/** Whatever several suites of one process would share. */
const stateOf = () => ({
  environment: { ...process.env },
  folder: process.cwd(),
  mask: process.umask(),
  arguments: [...process.argv],
  listeners: Object.fromEntries(watched.map(event => [event, process.listenerCount(event)])),
  replaced: [
    ...Object.entries(globals).filter(([name, value]) => globalThis[name as keyof typeof globals] !== value),
    ...Object.entries({ 'Date.now': [Date.now, now], 'performance.now': [performance.now, monotonic] }).filter(
      ([, [value, original]]) => value !== original,
    ),
    ...Object.entries({ log: console.log, error: console.error, warn: console.warn }).filter(
      ([name, value]) => consoles[name as keyof typeof consoles] !== value,
    ),
  ].map(([name]) => name),
})
const { now } = Date
const monotonic = performance.now
const consoles = { log: console.log, error: console.error, warn: console.warn }

type State = ReturnType<typeof stateOf>

/** In words, what is no longer as it was. */
export function changesOf(before: State, state: State): string[] {
  const differing = (one: Record<string, unknown>, other: Record<string, unknown>) =>
    [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(name => one[name] !== other[name])
  return [
    ...differing(before.environment, state.environment).map(name => `the variable ${name}`),
    ...differing(before.listeners, state.listeners).map(event => `the listeners of ${event}`),
    ...state.replaced,
    ...(before.folder === state.folder ? [] : ['the working folder']),
    ...(before.mask === state.mask ? [] : ['the umask']),
    ...(before.arguments.join('\0') === state.arguments.join('\0') ? [] : ['process.argv']),
  ]
}

const suite = process.argv[1] ?? ''
if (isSuite) {
  const before = stateOf()
  beforeEach(stopFollowing)
  after(() => {
    let looks = 0
    setInterval(() => {
      if (++looks < most_looks) return
      const open = Object.entries(Object.groupBy(process.getActiveResourcesInfo(), kind => kind))
      const kinds = open.map(([kind, all]) => `${all!.length} ${kind}`).join(', ')
      console.error(`${suite} does not end after its last test: ${kinds} are open (two PipeWrap are its own output)`)
      process.exit(1)
    }, look_every_ms).unref()
  })
  process.on('exit', () => {
    const changed = changesOf(before, stateOf())
    if (changed.length === 0) return
    console.error(`${suite} leaves its process changed: ${changed.join(', ')}`)
    process.exitCode = 1
  })
}
