import type { TLSSocket } from 'node:tls'

/** The exporter of RFC 9266: both ends of one TLS connection know it, and nobody in between. */
const bindingLabel = 'EXPORTER-Channel-Binding'
const bindingBytes = 32

export const channelBinding = (socket: TLSSocket): Buffer => socket.exportKeyingMaterial(bindingBytes, bindingLabel, Buffer.alloc(0))
