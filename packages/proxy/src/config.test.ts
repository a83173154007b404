import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configOf, defaultDataDir, loadConfig } from './config.ts'

async function dataDir(file?: string) {
  const path = await mkdtemp(join(tmpdir(), 'sallyport-config-'))
  if (file !== undefined) await writeFile(join(path, 'sallyport.yaml'), file)
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) }
}

test('defaults: localhost:3080, below the home directory, nothing of the settings of the cluster', async () => {
  await using dir = await dataDir()
  const config = await loadConfig({ flags: {}, env: { SALLYPORT_DATA_DIR: dir.path } })
  expect(config).toMatchObject({
    listen: { host: 'localhost', port: 3080 },
    clusterName: 'sallyport',
    fixed: {},
    dataDir: dir.path,
  })
  expect(defaultDataDir({})).toBe(join(homedir(), '.local/share/sallyport'))
  expect(defaultDataDir({ XDG_DATA_HOME: '/data' })).toBe('/data/sallyport')
  expect(Object.isFrozen(config)).toBe(true)
})
test('a flag wins over the environment, which wins over the file', async () => {
  await using dir = await dataDir('clusterName: from-file\nmotd: from file\nlogLevel: warn\n')
  const config = await loadConfig({
    flags: { dataDir: dir.path, clusterName: 'from-flag', listen: undefined },
    env: { SALLYPORT_CLUSTER_NAME: 'from-env', SALLYPORT_MOTD: 'from env', SALLYPORT_LISTEN: '' },
  })
  expect(config).toMatchObject({ clusterName: 'from-flag', motd: 'from env', logLevel: 'warn', listen: { port: 3080 } })
})
test('all problems come at once, each with its key and where it was set', async () => {
  await using dir = await dataDir('secondFactor: maybe\ncolour: red\ndataDir: /elsewhere\n')
  const failure = loadConfig({
    flags: { dataDir: dir.path, listen: 'nowhere:port' },
    env: { SALLYPORT_WEB_IDLE_TIMEOUT: 'soon', SALLYPORT_LOCAL_AUTH: 'perhaps' },
  })
  const { problems } = (await failure.then(
    () => ({ problems: [] as string[] }),
    (error: unknown) => error,
  )) as { problems: string[] }
  const file = join(dir.path, 'sallyport.yaml')
  expect(problems.map((problem) => problem.split(':')[0]).toSorted()).toEqual(
    [
      `colour (${file})`,
      `dataDir (${file})`,
      `listen (--listen)`,
      'localAuth (SALLYPORT_LOCAL_AUTH)',
      `secondFactor (${file})`,
      'webIdleTimeout (SALLYPORT_WEB_IDLE_TIMEOUT)',
    ].toSorted(),
  )
})
test('a file that is named is read instead of the one in the data directory, and has to be there', async () => {
  await using own = await dataDir('clusterName: own\n')
  await using dir = await dataDir()
  const file = join(dir.path, 'proxy.yaml')
  const load = (flags: object, env = {}) => loadConfig({ flags: { config: file, ...flags }, env })
  await expect(load({})).rejects.toThrow(`${file}: cannot be read`)
  await writeFile(file, `clusterName: named\ndataDir: ${own.path}\nsessionRecording: proxy\nclientIdleTimeout: 15m\n`)
  const config = await load({})
  expect(config).toMatchObject({ clusterName: 'named', dataDir: own.path, sessionRecording: 'proxy' })
  expect(config.fixed.cluster_networking_config).toEqual({ client_idle_timeout: { value: '15m0s', origin: file } })
  expect((await load({ dataDir: dir.path })).dataDir).toBe(dir.path)
  expect((await loadConfig({ flags: { clusterName: 'flag' }, env: { SALLYPORT_CONFIG: file } })).clusterName).toBe('flag')
})
test('a file that is no YAML is named', async () => {
  await using dir = await dataDir('a: b: c')
  await expect(loadConfig({ flags: { dataDir: dir.path }, env: {} })).rejects.toThrow('sallyport.yaml')
})
test('addresses that other machines reach need TLS or a public address', () => {
  const at = (listen: string, more: object = {}) => configOf({ dataDir: '/tmp/x', listen, ...more })
  expect(() => at('0.0.0.0:3080')).toThrow('tlsCert')
  expect(() => at(':3080')).toThrow('tlsCert')
  expect(() => at('127.0.0.1:1', { tlsCert: 'c' })).toThrow('both or neither')
  expect(at('0.0.0.0:3080', { publicAddr: 'console.example.com' }).publicAddr).toBe('https://console.example.com')
  expect(at('[::1]:4080').listen).toEqual({ host: '::1', port: 4080 })
  expect(at('4080').listen).toEqual({ host: 'localhost', port: 4080 })
  expect(at('127.0.0.1:0', { webIdleTimeout: '1h30m' }).fixed.cluster_networking_config).toEqual({
    web_idle_timeout: { value: '1h30m0s', origin: 'the configuration' },
  })
  expect(() => at('127.0.0.1:0', { secondFactor: 'otp', allowPasswordless: true })).toThrow('allowPasswordless')
})
