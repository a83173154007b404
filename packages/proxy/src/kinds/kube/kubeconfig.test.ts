import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { parseKubeconfig } from './kubeconfig.ts'

const config = (user: string, server = 'https://10.0.0.1:6443'): string => `
apiVersion: v1
kind: Config
current-context: b
contexts:
- {name: a, context: {cluster: a, user: a}}
- {name: b, context: {cluster: b, user: b, namespace: shop}}
clusters:
- {name: a, cluster: {server: 'https://other:6443'}}
- {name: b, cluster: {server: '${server}', tls-server-name: kubernetes}}
users:
- {name: a, user: {token: other}}
- {name: b, user: ${user}}
`

test('the current context says where the API is and with what', () => {
  expect(parseKubeconfig(config('{token: secret}'))).toMatchObject({
    server: 'https://10.0.0.1:6443',
    serverName: 'kubernetes',
    token: 'secret',
  })
})

test('what the proxy cannot use is refused with what to do instead', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = Buffer.from(privateKey.export({ format: 'pem', type: 'pkcs8' })).toString('base64')
  expect(() => parseKubeconfig(config('{exec: {command: aws}}'))).toThrow('a user with "exec"')
  expect(() => parseKubeconfig(config('{client-certificate: /root/a.pem}'))).toThrow('a user with "client-certificate"')
  expect(() => parseKubeconfig(config('{}'))).toThrow('holds no credentials')
  expect(() => parseKubeconfig(config(`{client-key-data: ${key}}`))).toThrow('holds no credentials')
  expect(() => parseKubeconfig(config('{client-key-data: AAAA, client-certificate-data: AAAA}'))).toThrow('cannot be read')
  expect(() => parseKubeconfig(config('{token: x}', 'http://10.0.0.1'))).toThrow('https://')
  expect(() => parseKubeconfig('{')).toThrow('no YAML')
  expect(() => parseKubeconfig('clusters: []')).toThrow('names no cluster')
})
