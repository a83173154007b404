import { Fingerprint } from 'lucide-react'
import { Button } from '../ui/Button.tsx'
import { Card, EntryCard, OrLine } from '../ui/Card.tsx'
import { PasswordField } from '../ui/PasswordField.tsx'
import { StatusGlyph } from '../ui/StatusGlyph.tsx'
import { TextField } from '../ui/TextField.tsx'

/** Whole-page pieces, at gallery.html?page=entry and ?page=card. */
export const pagePieces: Record<string, () => React.JSX.Element> = { entry: EntryPiece, card: CardPiece }

function EntryPiece() {
  return (
    <EntryCard
      title="Sign in to helios-prod"
      lead={
        <>
          You will return to <span className="mono">nodes?search=env</span>
        </>
      }
      footer={
        <>
          <StatusGlyph status="ok" />
          <span className="mono">helios-prod.example.com</span>
        </>
      }
    >
      <TextField label="Username" size={40} defaultValue="margarethe.oyelaran" />
      <PasswordField
        label="Password"
        size={40}
        autoComplete="current-password"
        defaultValue="correct horse"
        aside={<a href="#forgot">Forgot password?</a>}
      />
      <Button kind="primary" size={40} wide>
        Sign in
      </Button>
      <OrLine>Other ways to sign in</OrLine>
      <Button size={40} wide icon={Fingerprint}>
        Sign in with a passkey
      </Button>
    </EntryCard>
  )
}

function CardPiece() {
  return (
    <Card
      title="404 Not Found"
      actions={
        <>
          <Button kind="primary">Go to start</Button>
          <Button kind="quiet">Go back</Button>
        </>
      }
      footer="Press / to search."
    >
      <p className="t2">The requested path could not be found.</p>
    </Card>
  )
}
