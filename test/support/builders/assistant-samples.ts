import type { World } from '../world/world.ts'
import { ok } from './documents.ts'

/** Assistant settings of a tenant, and a call that failed for a reason with `word` in it. */
export async function addAssistant(world: World, { word, by }: { word: string; by: string }) {
  ok(await world.as(by).put('/api/ai/settings', { monthly_tokens: 1_000_000_000, change_reason: word }))
  const { id: user_id, tenant_id } = world.people[by]!
  // No trigger asks for its audit entry: it is a call that nobody made.
  await world.superuser.query(`begin; set local session_replication_role = replica;
    insert into ai_calls (tenant_id, user_id, kind, status, provider, model, prompt_version, prompt_sha256, answer_sha256, tokens,
        input_tokens, output_tokens, duration_ms, error, finished_at)
      values (${tenant_id}, ${user_id}, 'chat', 'failed', 'openai-compatible', 'test-model', 'chat-1', repeat('0', 64), repeat('1', 64), 3,
        2, 1, 4, '${word}', now()); commit`)
}

/** A call whose process ended before the answer. */
export async function addAbandonedCall(world: World, by: string) {
  const { id: user_id, tenant_id } = world.people[by]!
  await world.superuser.query(`begin; set local session_replication_role = replica;
    insert into ai_calls (tenant_id, user_id, kind, provider, model, prompt_version, prompt_sha256, tokens)
      values (${tenant_id}, ${user_id}, 'chat', 'openai-compatible', 'test-model', 'chat-1', repeat('0', 64), 3); commit`)
}
