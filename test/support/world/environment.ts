import { dirname, join } from 'node:path'

/** The variables of the test's own environment that its programs get; the test sets the rest. */
export function environmentOfPrograms() {
  const { PATH = '', HOME = '', TMPDIR, NODE_COMPILE_CACHE, TEST_PROGRAMS } = process.env
  return {
    PATH,
    HOME,
    ...(TMPDIR && { TMPDIR }),
    ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
    ...(TEST_PROGRAMS && fromBundles(TEST_PROGRAMS)),
  }
}

/** They load from few files: see tools/suites/programs.ts. Their translations go when these do. */
const fromBundles = (loader: string) => ({
  NODE_OPTIONS: `--import ${loader}`,
  NODE_COMPILE_CACHE: join(dirname(loader), 'translated'),
})

/** For a test that sets a variable of its own process, which it may share with other suites: what puts back the value of now. */
export function keepVariable(name: string) {
  const before = process.env[name]
  return () => {
    if (before === undefined) delete process.env[name]
    else process.env[name] = before
  }
}
