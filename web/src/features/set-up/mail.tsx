import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type Answer, call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { refresh } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Refused } from '../../ui/notes.tsx'
import { useMe } from '../session/session.ts'
import { useSetUpWords } from './words.ts'

export function Mail({ mail }: { mail: Answer<'GET /api/set-up/'>['mail'] }) {
  const { mail: w, notYours } = useSetUpWords()
  const { permissions } = useMe()
  const client = useQueryClient()
  const { mutate, isPending, data, error } = useMutation<Answer<'POST /api/set-up/test-mail'>, Problem>({
    mutationFn: () => call('POST /api/set-up/test-mail', {}),
    onSettled: () => refresh(client, 'set-up/'),
  })
  if (!mail.is_set_up) return <p>{w.off}</p>
  const problem = data ? data.problem : mail.last_test?.problem
  return (
    <>
      <p className="soft">{w.about}</p>
      {permissions.includes('settings.manage') ? (
        <Button look="main" isPending={isPending} onPress={() => mutate()}>
          {w.send}
        </Button>
      ) : (
        <p className="soft">{notYours}</p>
      )}
      {error && <Refused error={error} />}
      {data?.is_sent && <p role="status">{w.sent(data.to)}</p>}
      {problem && (
        <Refused>
          {w.failed}
          <p>
            <code>{problem}</code>
          </p>
        </Refused>
      )}
    </>
  )
}
