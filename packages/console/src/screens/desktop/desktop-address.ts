import { callPath } from '@sallyport/wire/call.ts'

export interface DesktopTarget {
  clusterId: string
  desktopName: string
  username: string
}

const socketPath = '/v1/webapi/sites/{clusterId}/desktops/{desktopName}/connect'

/** `origin` of the page; the size is that of the screen to come. */
export function desktopAddress(
  origin: string,
  target: DesktopTarget,
  size: { width: number; height: number },
  keyboard: number,
  token: string,
): string {
  const { username, ...place } = target
  const url = new URL(callPath(socketPath, { ...place }), origin.replace(/^http/, 'ws'))
  url.search = new URLSearchParams({
    access_token: token,
    username,
    width: String(Math.round(size.width)),
    height: String(Math.round(size.height)),
    // For our proxies; others pass over it.
    keyboard: String(keyboard),
  }).toString()
  return url.href
}
