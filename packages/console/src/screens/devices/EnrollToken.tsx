import { createToken } from '@sallyport/wire/calls/devices.ts'
import type { AnswerOf } from '@sallyport/wire/call.ts'
import type { Device } from '@sallyport/wire/entities/device.ts'
import { wireDate } from '@sallyport/wire/entities/wire-date.ts'
import { request } from '../../api/page.ts'
import { MakeOnce } from '../../parts/made/MakeOnce.tsx'
import { useClusterId } from '../../parts/use-route.ts'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { useTimeLeft } from '../../ui/use-time-left.ts'

/** What is to be done on the device, and until when. */
export function EnrollSteps({ made }: { made: AnswerOf<typeof createToken> }) {
  const left = useTimeLeft(wireDate(made.expires))
  return (
    <>
      <p className="t2">
        On the device, whoever it is for signs in and enrolls it. They need a role with the verb <span className="mono">enroll</span> on{' '}
        <span className="mono">device</span>.
      </p>
      <CodeBlock text={`sallyport login --proxy ${window.location.host}`} copyLabel="Copy sign-in command" />
      <CodeBlock text={`sallyport device enroll --token ${made.token}`} copyLabel="Copy enroll command" />
      <p className="muted sm">
        {left ? `The token works once, for ${left}. It is not shown again.` : 'The token has expired: make another one.'}
      </p>
    </>
  )
}

/** Makes a new token for a device that is registered. */
export function EnrollToken({ device, onClose }: { device: Device; onClose: () => void }) {
  const clusterId = useClusterId()
  const title = `Enroll token for ${device.assetTag}`
  return (
    <MakeOnce
      width={600}
      title={title}
      action="Make token"
      failed="Could not make the token."
      make={() => request(createToken, { params: { clusterId, id: device.id } })}
      show={(made) => ({ title, children: <EnrollSteps made={made} /> })}
      onClose={onClose}
    >
      {() => (
        <p className="t2">
          {device.isEnrolled
            ? 'This device is enrolled. Once the token is used it has a new key: sessions that it opened with the old one end.'
            : 'With the token the device enrolls once. A token that was made for it before stops working.'}
        </p>
      )}
    </MakeOnce>
  )
}
