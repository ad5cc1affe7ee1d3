/** As much of Trusted Types as we use; TypeScript's own library does not have them yet. */
interface Window {
  trustedTypes?: {
    createPolicy: (
      name: string,
      rules: { createScriptURL: (url: string) => string },
    ) => { createScriptURL: (url: string) => unknown }
  }
}
