import { useState } from 'react'
import { MakeOnce } from '../../parts/made/MakeOnce.tsx'
import { makeLink } from './links.ts'
import { Lifetime, ShareLink } from './ShareLink.tsx'

export interface ResetSignInProps {
  name: string
  /** Nothing is set up yet: the link is that of an invite. */
  invited: boolean
  onDone: () => Promise<void>
  onClose: () => void
}

/** Asks before the sign-in of somebody is replaced by a link, and shows the link. */
export function ResetSignIn({ name, invited, onDone, onClose }: ResetSignInProps) {
  const type = invited ? 'invite' : 'password'
  const [hours, setHours] = useState(invited ? 1 : 8)
  const make = async () => {
    const link = await makeLink(name, type, hours)
    void onDone()
    return link
  }
  return (
    <MakeOnce
      title={invited ? `Invite ${name} again?` : `Reset sign-in of ${name}?`}
      action={invited ? 'Make invite link' : 'Reset sign-in'}
      danger={!invited}
      failed="Could not make the link."
      make={make}
      show={(link) => ({ title: `Link for ${name}`, children: <ShareLink name={name} link={link} /> })}
      onClose={onClose}
    >
      {({ busy }) => (
        <>
          <p className="t2">
            {invited
              ? 'The link made before is worth nothing then.'
              : 'Password and second-factor devices are gone at once, and every session ends. A link lets them set new ones.'}
          </p>
          <Lifetime type={type} hours={hours} onHours={setHours} disabled={busy} />
        </>
      )}
    </MakeOnce>
  )
}
