// The subset of Dockerfiles and ignore files that tools/image-steps.ts understands. Anything else is an error, and never passed over.

export type Step =
  | { name: 'RUN'; command: string }
  | { name: 'COPY'; from: string | undefined; sources: string[]; target: string }
  | { name: 'ENV'; values: [string, string][] }
  | { name: 'ARG'; variable: string; value: string | undefined }
  | { name: 'WORKDIR' | 'USER' | 'VOLUME' | 'EXPOSE'; value: string }
  | { name: 'CMD' | 'HEALTHCHECK'; command: string[] }

export interface Stage {
  base: string
  alias: string | undefined
  steps: Step[]
}

export function readDockerfile(text: string): { args: Map<string, string>; stages: Stage[] } {
  const lines = text
    .split('\n')
    .filter(line => !/^\s*#/.test(line))
    .join('\n')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
  const args = new Map<string, string>()
  const stages: Stage[] = []
  for (const line of lines) {
    const [, name, rest] = /^([A-Z]+)\s+(.*)$/s.exec(line) ?? []
    if (!name || rest === undefined) throw new Error(`not an instruction: ${line}`)
    if (name === 'FROM') {
      const [, base, alias] = /^(\S+)(?:\s+AS\s+(\S+))?$/i.exec(rest) ?? []
      if (!base) throw new Error(`FROM ${rest} is not understood`)
      stages.push({ base, alias, steps: [] })
      continue
    }
    const step = stepOf(name, rest)
    const stage = stages.at(-1)
    if (stage) stage.steps.push(step)
    else if (step.name === 'ARG') args.set(step.variable, step.value ?? '')
    else throw new Error(`${name} before the first FROM`)
  }
  return { args, stages }
}

function stepOf(name: string, rest: string): Step {
  switch (name) {
    case 'RUN':
      if (/^(--|\[|<<)/.test(rest)) throw new Error(`RUN ${rest} is not understood`)
      return { name, command: rest }
    case 'COPY': {
      const words = rest.split(/\s+/)
      const options = words.filter(word => word.startsWith('--'))
      if (options.some(option => !option.startsWith('--from='))) throw new Error(`COPY ${rest} is not understood`)
      const [...sources] = words.filter(word => !word.startsWith('--'))
      const target = sources.pop()!
      return { name, from: options[0]?.slice('--from='.length), sources, target }
    }
    case 'ENV':
      return {
        name,
        values: [...rest.matchAll(/(\w+)=("[^"]*"|\S*)/g)].map(([, key, value]) => [key!, unquoted(value!)]),
      }
    case 'ARG': {
      const [variable, ...value] = rest.split('=')
      return { name, variable: variable!, value: value.length > 0 ? unquoted(value.join('=')) : undefined }
    }
    case 'WORKDIR':
    case 'USER':
    case 'VOLUME':
    case 'EXPOSE':
      return { name, value: rest }
    case 'CMD':
    case 'HEALTHCHECK':
      return { name, command: JSON.parse(rest.slice(rest.indexOf('['))) }
    default:
      throw new Error(`${name} is not understood`)
  }
}

const unquoted = (value: string) => value.replace(/^"(.*)"$/, '$1')

/** `${NAME}`, `${NAME:-default}` and `$NAME`. */
export const substitute = (text: string, values: ReadonlyMap<string, string>) =>
  text.replaceAll(/\$(?:\{(\w+)(?::-([^}]*))?\}|(\w+))/g, (_, name, fallback, plain) => {
    const value = values.get(name ?? plain)
    return value || fallback || ''
  })

/** Whether the ignore file leaves a path out: the last pattern that matches it, or a folder above it, decides. */
export function ignoreRules(text: string): (path: string) => boolean {
  const patterns = text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => {
      const isKept = line.startsWith('!')
      const glob = line.slice(isKept ? 1 : 0).replace(/^\/|\/$/g, '')
      const pattern = glob
        .split(/(\*\*\/|\*\*|\*|\?)/)
        .map(part => {
          if (part === '**/') return '(?:.*/)?'
          if (part === '**') return '.*'
          if (part === '*') return '[^/]*'
          return part === '?' ? '[^/]' : part.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
        })
        .join('')
      return { isKept, pattern: new RegExp(`^${pattern}(?:/|$)`) }
    })
  return path => {
    const last = patterns.findLast(({ pattern }) => pattern.test(path))
    return last !== undefined && !last.isKept
  }
}
