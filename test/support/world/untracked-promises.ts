// Loaded before the test runner (node --import). Node's runner follows every promise of a process with async_hooks, which was half of the
// processor time of our suites. It does so to know in which suite a test is declared, and of which test an error is that nobody caught.
// The first is over when the first test begins. Without the second such an error still fails its process, and is printed with its stack,
// but under the name of the process instead of that of the test.
import asyncHooks, { type AsyncHook } from 'node:async_hooks'

/** The runner itself, and the programs that a suite starts, are not. */
export const isSuite =
  process.env.NODE_TEST_CONTEXT !== undefined && /\.(test|process)\.\w+$/.test(process.argv[1] ?? '')

let followed: AsyncHook | undefined
/** To be called once every test is declared, as when the first one begins. */
export function stopFollowing() {
  followed?.disable()
}

if (isSuite) {
  const { createHook } = asyncHooks
  // Without `destroy`: to be told when each promise is collected costs most, and only keeps the runner's own list short.
  asyncHooks.createHook = ({ init }) => {
    followed = createHook(init ? { init } : {})
    return followed
  }
  // It takes `createHook` as it is when it is loaded.
  await import('node:test')
  asyncHooks.createHook = createHook
  process.on('uncaughtExceptionMonitor', error => console.error(error))
  process.on('unhandledRejection', error => {
    console.error(error)
    process.exitCode = 1
  })
}
