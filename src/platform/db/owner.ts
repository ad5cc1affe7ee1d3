import pg, { type Client, type ClientConfig } from 'pg'

/** Outside of any transaction, as attest_owner: for what an operator has made beside the migrations. */
export async function asOwner<T>(owner: ClientConfig, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(owner)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
