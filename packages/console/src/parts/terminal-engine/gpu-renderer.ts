import type { Terminal } from '@xterm/xterm'

/** Browsers keep about sixteen drawing contexts per page and drop the oldest, so only a few terminals get one. */
const contextLimit = 8
let contexts = 0

const softwareRenderers = /swiftshader|llvmpipe|softpipe|software|basic render/i

/** Whether the machine draws WebGL on a real graphics unit; a software one is slower than plain elements. */
function hasFastGpu(): boolean {
  try {
    const context = document.createElement('canvas').getContext('webgl2', { failIfMajorPerformanceCaveat: true })
    if (!context) return false
    const info = context.getExtension('WEBGL_debug_renderer_info')
    const renderer: unknown = context.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : context.RENDERER)
    context.getExtension('WEBGL_lose_context')?.loseContext()
    return !softwareRenderers.test(String(renderer))
  } catch {
    return false
  }
}

/**
 * Moves the terminal's drawing to the graphics unit where there is a fast one; otherwise, and when the unit is lost
 * later, the terminal goes on drawing with elements. The renderer is fetched only here.
 */
export async function drawOnGpu(terminal: Terminal): Promise<Disposable | undefined> {
  if (contexts >= contextLimit || !hasFastGpu()) return undefined
  try {
    const { WebglAddon } = await import('@xterm/addon-webgl')
    const addon = new WebglAddon()
    let live = true
    const drop = (): void => {
      if (!live) return
      live = false
      contexts -= 1
      addon.dispose()
    }
    addon.onContextLoss(drop)
    terminal.loadAddon(addon)
    contexts += 1
    return { [Symbol.dispose]: drop }
  } catch {
    return undefined // drawing with elements is complete; only slower
  }
}
