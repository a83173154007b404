/** `npm run dev`: the test world, and the console in front of it with hot reload. */
import { join } from 'node:path'
import { createServer } from 'vite'
import { names } from '@sallyport/testkit/people.ts'
import { addApp } from '@sallyport/testkit/app-browser.ts'
import { startWebApp } from '@sallyport/testkit/targets/web-app.ts'
import { createWorld } from '@sallyport/testkit/world.ts'

const consoleFolder = join(import.meta.dirname, '..', 'packages', 'console')
const ended = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
})

await using world = await createWorld({ settings: { logLevel: 'warn' } })
await using wiki = await startWebApp()
await addApp(world, 'wiki', { uri: wiki.uri, description: 'A small application', labels: { team: 'docs' } })
// Read by the console's Vite configuration.
process.env['SALLYPORT_DEV_PROXY'] = world.url
const vite = await createServer({ root: consoleFolder, configFile: join(consoleFolder, 'vite.config.ts'), server: { host: 'localhost' } })
await vite.listen()

const address = vite.resolvedUrls?.local[0] ?? ''
console.log(`\nConsole with hot reload: ${address}`)
console.log(`Gallery of the design system: ${address}src/gallery/gallery.html`)
console.log(`Proxy of the test world: ${world.url}/web (state in ${world.dataDir}, gone at the end)\n`)
console.log(`An application: http://wiki.localhost:${new URL(world.url).port} (sign in to ${world.url} first)\n`)
for (const name of names) {
  const { password, authenticator } = world.person(name)
  console.log(`${name.padEnd(6)} password "${password}", authenticator secret ${authenticator.secret}`)
}

await ended
await vite.close()
