/** The version of the API (specification, Versioning). */
export const version = '1.0.0'
