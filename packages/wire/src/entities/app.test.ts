import { expect, test } from 'vitest'
import { appSessionWire, appWire, toApp, toAppSession } from './app.ts'

const wiki = {
  name: 'wiki',
  description: 'Handbooks',
  uri: 'http://127.0.0.1:80',
  publicAddr: 'wiki.example.com',
  fqdn: 'wiki.example.com',
  clusterId: 'c',
  labels: [{ name: 'env', value: 'prod' }],
  awsConsole: false,
  friendlyName: 'Team wiki',
  userGroups: [{ name: 'staff', description: 'Everybody' }],
}
const appOf = (given: object) => toApp(appWire.parse({ ...wiki, ...given }), 'asked')

test('R3-100: an application has these fifteen fields', () => {
  expect(appOf({})).toEqual({
    id: 'c-wiki-wiki.example.com',
    name: 'wiki',
    description: 'Handbooks',
    uri: 'http://127.0.0.1:80',
    publicAddr: 'wiki.example.com',
    labels: [{ name: 'env', value: 'prod' }],
    clusterId: 'c',
    fqdn: 'wiki.example.com',
    launchUrl: '/web/launch/wiki.example.com/c/wiki.example.com',
    awsRoles: [],
    awsConsole: false,
    isCloudOrTcpEndpoint: false,
    addrWithProtocol: 'https://wiki.example.com',
    friendlyName: 'Team wiki',
    userGroups: [{ name: 'staff', description: 'Everybody' }],
  })
  expect(appOf({ publicAddr: '' })).toMatchObject({ id: 'c-wiki-http://127.0.0.1:80', launchUrl: '' })
})

test('what other proxies leave out, or send as null, is empty', () => {
  expect(toApp(appWire.parse({ labels: null, userGroups: null, awsRoles: null }), 'c')).toMatchObject({
    name: '',
    clusterId: 'c',
    launchUrl: '',
    uri: '',
    labels: [],
    awsRoles: [],
    userGroups: [],
    friendlyName: '',
    addrWithProtocol: '',
  })
})

test('R3-101, R3-102, R3-103: the scheme of the address follows the kind', () => {
  const publicAddr = 'a.example'
  expect(appOf({ publicAddr }).addrWithProtocol).toBe('https://a.example')
  expect(appOf({ publicAddr, uri: 'tcp://10.0.0.5:5432' }).addrWithProtocol).toBe('tcp://a.example')
  expect(appOf({ publicAddr, uri: 'cloud://AWS' }).addrWithProtocol).toBe('cloud://a.example')
  expect(appOf({ publicAddr: '', uri: 'tcp://10.0.0.5:5432' }).addrWithProtocol).toBe('tcp://10.0.0.5:5432')
})

test('R3-104: only TCP and cloud applications are no web pages', () => {
  const uris = ['https://10.0.0.5', 'tcp://10.0.0.5:5432', 'cloud://Azure']
  expect(uris.map((uri) => appOf({ uri }).isCloudOrTcpEndpoint)).toEqual([false, true, true])
})

test('R3-105: an application session', () => {
  const given = { fqdn: 'a.example', cookie_value: 'c', subject_cookie_value: 's' }
  expect(toAppSession(appSessionWire.parse(given))).toEqual({
    fqdn: 'a.example',
    value: undefined,
    subject: undefined,
    cookieValue: 'c',
    subjectCookieValue: 's',
  })
  expect(toAppSession(appSessionWire.parse({ ...given, value: 'v', subject: 'u' }))).toMatchObject({ value: 'v', subject: 'u' })
  expect(toAppSession(appSessionWire.parse({}))).toMatchObject({ cookieValue: undefined, subjectCookieValue: undefined })
})
