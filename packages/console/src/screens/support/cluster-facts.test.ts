import { expect, test } from 'vitest'
import { mergeClientConfig } from '@sallyport/wire/config.ts'
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
const factsWith = (given: object): Record<string, string> =>
  Object.fromEntries(clusterFacts({ cluster, config: mergeClientConfig(given, 'https://one.example'), browser: 'Firefox' }))

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
