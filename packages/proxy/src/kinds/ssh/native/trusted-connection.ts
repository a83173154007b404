import type { Actor } from '../../../core/caller.ts'
import type { Devices } from '../../../core/device-trust/devices.ts'
import type { EndReason } from '../../../core/sessions/end-reason.ts'

const untrusted: EndReason = {
  kind: 'cut',
  text: 'The session is closed: this device was removed from the trusted ones, or enrolled anew.',
  disconnected: 'the trusted device was removed',
}

/** Calls when the device that a certificate names is trusted no more. */
export const watchTrust = (
  devices: Pick<Devices, 'watch'>,
  { trustedDevice }: Pick<Actor, 'trustedDevice'>,
  onEnd: (reason: EndReason) => void,
): Disposable => (trustedDevice ? devices.watch(trustedDevice, () => onEnd(untrusted)) : { [Symbol.dispose]: () => undefined })
