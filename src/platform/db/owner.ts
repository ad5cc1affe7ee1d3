import pg, { type Client, type ClientConfig } from 'pg'

/** Runs work as attest_owner, outside of any transaction, for objects that an operator creates beside the migrations. */
export async function asOwner<T>(owner: ClientConfig, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(owner)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
