/** The requirements that tests prove, as their files say: `(proves: DOC-03)` in a title, or `// proves: DOC-03, SVC-01` above a test. */
export interface Claim {
  id: string
  /** Relative to the folder of the project. */
  file: string
  /** The line of the `describe` or `it` that it is about; undefined where it stands above everything and is about the whole file. */
  line?: number
  title: string
}

const word = /\bproves:\s*/g
const ids = /^[A-Z]+-\d+(?:, [A-Z]+-\d+)*/
const call = /^\s*(?:(?:await|return)\s+)?(?:describe|it|test|suite)(?:\.\w+)?\(|\)\s*(?:describe|it|test|suite)\(/

/** Throws where something looks like a claim and is none. */
export function claimsOf(file: string, text: string): Claim[] {
  const lines = text.split('\n')
  const calls = lines.flatMap((line, index) => (call.test(line) ? [index] : []))
  const firstImport = lines.findIndex(line => line.startsWith('import '))
  return lines.flatMap((line, index) =>
    [...line.matchAll(word)].flatMap(({ index: at, 0: found }) => {
      const named = ids.exec(line.slice(at + found.length))?.[0]
      if (!named)
        throw new Error(`${file}:${index + 1}: 'proves:' is followed by ids of requirements, as DOC-03, SVC-01`)
      const isComment = line.slice(0, at).includes('//')
      const about = isComment
        ? index < firstImport
          ? undefined
          : calls.find(each => each > index)
        : calls.findLast(each => each <= index)
      if (about === undefined && !(isComment && index < firstImport))
        throw new Error(`${file}:${index + 1}: no test that this could be about`)
      return named.split(', ').map(id => ({
        id,
        file,
        ...(about !== undefined && { line: about + 1 }),
        title: about === undefined ? file : titleOf(lines, about),
      }))
    }),
  )
}

/** The first words in quotes at the call or after it, without what it proves. */
function titleOf(lines: readonly string[], from: number): string {
  const quoted = /(['"`])((?:\\.|(?!\1).)+)\1/.exec(
    lines
      .slice(from, from + 3)
      .join('\n')
      .replace(/^.*?\b(?:describe|it|test|suite)(?:\.\w+)?\(/, ''),
  )
  return (quoted?.[2] ?? lines[from]!.trim())
    .replaceAll(/\\(.)/g, '$1')
    .replace(/\s*[(;]?\s*proves: [A-Z0-9, -]+\)?\s*$/, '')
}
