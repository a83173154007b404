import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { minifySync } from 'vite'
import type { Plugin } from 'vite'

const publicFile = (name: string): Buffer => readFileSync(join(import.meta.dirname, '..', 'public', name))

/** As it is served; scripts without what is there for readers only. */
const builtFile = (name: string): Buffer | string =>
  name.endsWith('.js') ? minifySync(name, publicFile(name).toString()).code : publicFile(name)

/** `favicon.svg` → `app/favicon-1a2b3c4d.svg`: served with a year of caching like every other built file. */
function builtName(name: string): string {
  const hash = createHash('sha256').update(builtFile(name)).digest('base64url').slice(0, 8)
  return `app/${name.replace('.', `-${hash}.`)}`
}

/**
 * What the head of the page needs besides the bundle: the theme before the first paint and words for when the bundle does
 * not come, the configuration as a classic script before the bundle runs, the icon. No inline script anywhere: the content policy forbids them.
 */
export function pageHead(): Plugin {
  let base = '/'
  let building = false
  const address = (name: string): string => base + (building ? builtName(name) : name)
  return {
    name: 'sallyport:page-head',
    configResolved(config) {
      base = config.base
      building = config.command === 'build'
    },
    transformIndexHtml: {
      order: 'post',
      handler: () => [
        { tag: 'script', attrs: { src: address('before-start.js') }, injectTo: 'head-prepend' },
        { tag: 'script', attrs: { src: `${base}config.js` }, injectTo: 'head' },
        { tag: 'link', attrs: { rel: 'icon', type: 'image/svg+xml', href: address('favicon.svg') }, injectTo: 'head' },
      ],
    },
    generateBundle() {
      for (const name of ['before-start.js', 'favicon.svg'])
        this.emitFile({ type: 'asset', fileName: builtName(name), source: builtFile(name) })
      // Asked for by this name: by other consoles, and by what knows no SVG.
      this.emitFile({ type: 'asset', fileName: 'app/favicon.ico', source: publicFile('favicon.ico') })
    },
  }
}
