import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { Plugin } from 'vite'

const metaPattern = (name: string): RegExp => new RegExp(`<meta[^>]*name="${name}"[^>]*content="([^"]*)"[^>]*>`)
const metas = ['grv_csrf_token', 'grv_bearer_token'] as const

/** Development only: Vite's page with the two metas, and the cookies, of the proxy's own page. */
export function devPage(proxy: string): Plugin {
  return {
    name: 'sallyport:dev-page',
    apply: 'serve',
    configureServer(server) {
      const filledPage = async (url: string, cookie: string, response: ServerResponse): Promise<string> => {
        const upstream = await fetch(new URL('/web', proxy), { headers: { cookie } })
        const page = await upstream.text()
        let html = await readFile(join(server.config.root, 'index.html'), 'utf8')
        for (const name of metas) {
          const value = metaPattern(name).exec(page)?.[1] ?? ''
          html = html.replace(metaPattern(name), `<meta name="${name}" content="${value}">`)
        }
        const cookies = upstream.headers.getSetCookie()
        if (cookies.length > 0) response.setHeader('set-cookie', cookies)
        return server.transformIndexHtml(url, html)
      }
      const serve = async (url: string, cookie: string, response: ServerResponse): Promise<void> => {
        try {
          const html = await filledPage(url, cookie, response)
          response.setHeader('content-type', 'text/html; charset=utf-8').end(html)
        } catch (error) {
          response.statusCode = 502
          response.end(`No page from ${proxy}: start a proxy there or set SALLYPORT_DEV_PROXY. ${String(error)}`)
        }
      }
      server.middlewares.use((request, response, next) => {
        const url = request.url ?? '/'
        const wantsPage = request.method === 'GET' && (request.headers.accept ?? '').includes('text/html')
        if (!wantsPage || !/^\/(web)?(\/|$|\?)/.test(url) || url.includes('.html')) return next()
        void serve(url, request.headers.cookie ?? '', response)
      })
    },
  }
}
