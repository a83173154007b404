import { Suspense, use, useState } from 'react'
import { ApiError } from '@sallyport/wire/errors.ts'
import type { ResetToken } from '@sallyport/wire/entities/user-token.ts'
import { EntryFooter } from '../../parts/EntryFooter.tsx'
import { usePublicRoute } from '../../parts/public-route.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card, EntryCard } from '../../ui/Card.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { forgetToken, tokenOf } from './set-up.ts'
import { SetUp } from './SetUp.tsx'
import { wordsOf } from './words.ts'

type Read = { token: ResetToken } | { error: unknown }
const settled = (tokenId: string): Promise<Read> =>
  tokenOf(tokenId).then(
    (token) => ({ token }),
    (error: unknown) => ({ error }),
  )

/** Reads the link's token, then lets the person choose how they will sign in. */
export function Credentials() {
  const { name, params } = usePublicRoute()
  const tokenId = params['tokenId'] ?? ''
  const [read, setRead] = useState(() => settled(tokenId))
  const again = (): void => {
    forgetToken(tokenId)
    setRead(settled(tokenId))
  }
  const waiting = (
    <EntryCard title={wordsOf(name).title} footer={<EntryFooter />}>
      <Spinner delay="short" label="Reading the link" showLabel />
    </EntryCard>
  )
  return (
    <Suspense fallback={waiting}>
      <Loaded read={read} again={again} />
    </Suspense>
  )
}

function Loaded({ read, again }: { read: Promise<Read>; again: () => void }) {
  const { name } = usePublicRoute()
  const result = use(read)
  if ('token' in result) return <SetUp token={result.token} words={wordsOf(name)} />
  const { error } = result
  if (error instanceof ApiError && (error.status === 403 || error.status === 404)) {
    return (
      <Card title="This link does not work any more" footer={error.message}>
        <p className="t2">This link has expired or was already used. Ask your administrator for a new one.</p>
      </Card>
    )
  }
  return (
    <Card
      title="The link could not be read"
      actions={
        <Button kind="primary" onClick={again}>
          Retry
        </Button>
      }
    >
      <p className="t2" role="alert">
        {error instanceof Error ? error.message : String(error)}
      </p>
    </Card>
  )
}
