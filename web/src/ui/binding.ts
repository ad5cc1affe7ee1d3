import type { Problem } from '../api/problem.ts'

export type Bind<T> = <K extends keyof T & string>(
  name: K,
  problem?: Problem | null,
) => { value: T[K]; onChange: (value: T[K]) => void; wrong: string | undefined }

/** Binds a field to its name in a form: `<Field label={w.title} {...bind('title', error)} />`. */
export const bindingOf =
  <T extends object>(fields: T, change: (next: Partial<T>) => void): Bind<T> =>
  (name, problem) => ({
    value: fields[name],
    onChange: value => change({ [name]: value } as unknown as Partial<T>),
    wrong: problem?.of(name),
  })
