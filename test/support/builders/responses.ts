interface Described {
  paths: Record<string, Record<string, { responses: Record<string, object> }>>
  components: { responses: Record<string, object> }
}

/** The description of the API with each response where it is answered, instead of a reference to it. */
export function withResponses<D>(description: D): D {
  const { paths, components } = description as Described
  for (const { responses } of Object.values(paths).flatMap(Object.values<Described['paths'][string][string]>)) {
    for (const [status, response] of Object.entries(responses)) {
      if (!('$ref' in response)) continue
      const { $ref } = response as { $ref: string }
      const found = components.responses[$ref.split('/').at(-1)!]
      if (!found) throw new Error(`the description has no ${$ref}`)
      responses[status] = found
    }
  }
  return description
}
