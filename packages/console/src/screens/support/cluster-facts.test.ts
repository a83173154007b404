import { expect, test } from 'vitest'
import { mergeClientConfig } from '@sallyport/wire/config.ts'
import { pingWire } from '@sallyport/wire/entities/ping.ts'
import type { Ping } from '@sallyport/wire/entities/ping.ts'
import { clusterFacts } from './cluster-facts.ts'

const cluster = {
  clusterId: 'one',
  lastConnected: '',
  connectedText: '',
  status: 'online',
  url: '',
  authVersion: '1.2.3',
  nodeCount: 1,
  publicURL: 'one.example:443',
  proxyVersion: '1.2.3',
}
const factsWith = (given: object, proxy?: Ping): Record<string, string> =>
  Object.fromEntries(
    clusterFacts({ cluster, config: mergeClientConfig(given, 'https://one.example'), ...(proxy && { proxy }), browser: 'Firefox' }),
  )

test('what is known is told, what does not apply is left out', () => {
  expect(factsWith({})).toMatchObject({
    'Cluster name': 'one',
    'Server version': '1.2.3',
    'Public address': 'one.example:443',
    'Configuration folder': '$HOME/.config/sallyport',
    'Automatic upgrades': 'off',
  })
  expect(factsWith({})).not.toHaveProperty('Tunnel address')
  expect(factsWith({ tunnelPublicAddress: 'tunnel.one.example', configDir: '/etc/x' })).toMatchObject({
    'Tunnel address': 'tunnel.one.example',
    'Configuration folder': '/etc/x',
  })
})

test('R3-001, R3-002: the edition is told where the proxy says that it is one', () => {
  expect(factsWith({})).not.toHaveProperty('Edition')
  expect(factsWith({ isEnterprise: true })).toMatchObject({ Edition: 'Enterprise' })
  expect(factsWith({ isEnterprise: true, isCloud: true })).toMatchObject({ Edition: 'Cloud' })
})

test('R3-004: automatic upgrades are read from config.js, and from ping where that says nothing', () => {
  const ping = (automatic_upgrades: boolean): Ping =>
    pingWire.parse({
      auth: { type: 'local', private_key_policy: 'none', has_motd: false },
      server_version: '1.2.3',
      cluster_name: 'one',
      automatic_upgrades,
    })
  const upgrades = (given: object, proxy?: Ping) => factsWith(given, proxy)['Automatic upgrades']
  expect(upgrades({ automaticUpgrades: true })).toBe('on')
  expect(upgrades({ automaticUpgrades: true }, ping(false))).toBe('on')
  expect(upgrades({ automaticUpgrades: false }, ping(true))).toBe('off')
  expect(upgrades({}, ping(true))).toBe('on')
  expect(upgrades({}, ping(false))).toBe('off')
})
