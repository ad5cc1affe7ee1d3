/** The variables of the test's own environment that its programs get; the test sets the rest. */
export function environmentOfPrograms() {
  const { PATH = '', HOME = '', TMPDIR, NODE_COMPILE_CACHE } = process.env
  return { PATH, HOME, ...(TMPDIR && { TMPDIR }), ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) }
}

/** For a test that sets a variable of its own process, which it may share with other suites: what puts back the value of now. */
export function keepVariable(name: string) {
  const before = process.env[name]
  return () => {
    if (before === undefined) delete process.env[name]
    else process.env[name] = before
  }
}
