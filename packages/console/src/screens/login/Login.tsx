import { Suspense, useState } from 'react'
import { config, session } from '../../api/page.ts'
import { EntryFooter } from '../../parts/EntryFooter.tsx'
import { FocusFirst } from '../../parts/FocusFirst.tsx'
import { Button } from '../../ui/Button.tsx'
import { EntryCard } from '../../ui/Card.tsx'
import { CommandLineOnly } from './CommandLineOnly.tsx'
import { targetPage } from './sign-in.ts'
import { SignIn } from './SignIn.tsx'
import { waysToSignIn } from './ways.ts'

const acknowledgedKey = 'sallyport_motd_acknowledged'

// A session that still lives needs no second sign-in.
const target = session.isValid() ? targetPage() : undefined
if (target !== undefined) window.location.replace(target)

/** Sign-in, and what may stand before it or in its place. */
export function Login() {
  const { auth, proxyCluster } = config
  const [read, setRead] = useState(() => window.sessionStorage.getItem(acknowledgedKey) === auth.motd)
  const [keysOnly, setKeysOnly] = useState(auth.privateKeyPolicy !== 'none')
  if (target !== undefined) return null
  if (auth.motd !== '' && !read) {
    const acknowledge = (): void => {
      window.sessionStorage.setItem(acknowledgedKey, auth.motd)
      setRead(true)
    }
    return (
      <EntryCard title={`Before you sign in to ${proxyCluster}`} footer={<EntryFooter />}>
        <MessageOfTheDay text={auth.motd} onRead={acknowledge} />
      </EntryCard>
    )
  }
  if (keysOnly) return <CommandLineOnly />
  if (waysToSignIn(auth).first === undefined) {
    return (
      <EntryCard
        title="Sign-in is not set up"
        lead="Ask your administrator to set up a way to sign in to this cluster."
        footer={<EntryFooter />}
      >
        {null}
      </EntryCard>
    )
  }
  return (
    <Suspense>
      <SignIn onKeysOnly={() => setKeysOnly(true)} />
    </Suspense>
  )
}

function MessageOfTheDay({ text, onRead }: { text: string; onRead: () => void }) {
  return (
    <FocusFirst>
      <p style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{text}</p>
      <Button kind="primary" size={40} wide onClick={onRead}>
        Acknowledge and continue
      </Button>
    </FocusFirst>
  )
}
