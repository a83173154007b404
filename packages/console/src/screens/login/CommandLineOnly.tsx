import { routePath } from '@sallyport/wire/routes.ts'
import { config } from '../../api/page.ts'
import { EntryFooter } from '../../parts/EntryFooter.tsx'
import { EntryCard } from '../../ui/Card.tsx'

/** The cluster wants private keys that live on hardware, which a browser cannot hold. */
export function CommandLineOnly() {
  return (
    <EntryCard title="Web sign-in is off for this cluster" footer={<EntryFooter />}>
      <p className="t2">Private keys of this cluster must live on a hardware key, where a browser cannot reach them.</p>
      <p className="t2">Use the command-line client to sign in.</p>
      {config.recoveryCodesEnabled && (
        <p className="row wrap sm">
          <a href={routePath('recover', { lost: 'password' })}>Forgot password?</a>
          <a href={routePath('recover', { lost: 'second-factor' })}>Lost second factor?</a>
        </p>
      )}
    </EntryCard>
  )
}
