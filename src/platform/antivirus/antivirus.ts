/** A virus scanner, which is another program. */
export interface Antivirus {
  /** The name of the virus in the file, if any. Throws a 503 without an answer, because no file is accepted without a scan. */
  scan(path: string): Promise<string | undefined>
  /** Rejects where it does not answer. */
  check(): Promise<void>
}
