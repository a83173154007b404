import { expect, test } from 'vitest'
import { hasGcm } from './cipher-offer.ts'

test.each(['OpenSSH_6.2', 'OpenSSH_9.2p1', 'OpenSSH_10.0p2', 'OpenSSH_for_Windows_9.5'])('%s is offered GCM only', (software) => {
  expect(hasGcm(software)).toBe(true)
})

test.each(['OpenSSH_6.1', 'OpenSSH_5.9p1', 'OpenSSH', 'PuTTY_Release_0.70', 'paramiko_2.4.2', 'XOpenSSH_9.2'])(
  '%s is offered CTR too',
  (software) => {
    expect(hasGcm(software)).toBe(false)
  },
)
