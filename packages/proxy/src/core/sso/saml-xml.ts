/** Reading SAML documents: bounded, without document types, and into plain objects. Nothing here is trusted yet. */
import { SsoError } from './sso-error.ts'

const library = () => import('@node-saml/node-saml/lib/xml.js')

/** An element: attributes under `$`, text under `_`, children by their local name. */
export interface XmlElement {
  readonly $?: Readonly<Record<string, string>>
  readonly _?: string
  readonly [name: string]: unknown
}

const maxLength = 256 * 1024
/** The parsers take a time that grows with the square of it; a response with a thousand groups has some two thousand. */
const maxTags = 4000

const isElement = (value: unknown): value is XmlElement => typeof value === 'object' && value !== null && !Array.isArray(value)

export const childrenOf = (element: XmlElement | undefined, name: string): XmlElement[] => {
  const found = element?.[name]
  // Elements without attributes and children are read as bare text.
  return Array.isArray(found) ? found.map((one) => (isElement(one) ? one : { _: String(one) })) : []
}
export const attributeOf = (element: XmlElement | undefined, name: string): string => {
  const attributes = element?.$
  return attributes && Object.hasOwn(attributes, name) ? String(attributes[name]) : ''
}
export const textOf = (element: XmlElement | undefined): string => (typeof element?._ === 'string' ? element._.trim() : '')

function requireBounded(xml: string, what: string): void {
  if (xml.length > maxLength) throw new SsoError('callback', `${what} is larger than ${maxLength / 1024} KiB`)
  if (xml.split('<', maxTags + 2).length > maxTags + 1) throw new SsoError('callback', `${what} has more than ${maxTags} tags`)
  if (/<!(DOCTYPE|ENTITY)/i.test(xml)) throw new SsoError('callback', `${what} declares a document type, which SAML forbids`)
}

/** The root element under its local name. Throws SsoError. */
export async function readXml(xml: string, what: string): Promise<XmlElement> {
  requireBounded(xml, what)
  const { parseXml2JsFromString } = await library()
  const read: unknown = await parseXml2JsFromString(xml).catch((cause: unknown) => {
    throw new SsoError('callback', `${what} is no XML`, { cause })
  })
  if (!isElement(read)) throw new SsoError('callback', `${what} is empty`)
  return read
}

export const decodeResponse = (response: string): string => Buffer.from(response, 'base64').toString('utf8')

/** The id of the request that a response says it answers, if it says one. Throws SsoError for what is no response. */
export async function requestIdOf(response: string): Promise<string | undefined> {
  const root = (await readXml(decodeResponse(response), 'the response'))['Response']
  if (!isElement(root)) throw new SsoError('callback', 'the response is none of SAML')
  return attributeOf(root, 'InResponseTo') || undefined
}

/** Refuses signatures and digests by SHA-1 and anything unusual. */
export async function requireStrongSignatures(xml: string): Promise<void> {
  requireBounded(xml, 'the response')
  const { parseDomFromString, xpath } = await library()
  const dom = await parseDomFromString(xml).catch((cause: unknown) => {
    throw new SsoError('callback', 'the response is no XML', { cause })
  })
  // The digest of a key's encryption (OAEP) goes by the same name and signs nothing.
  const methods = "//*[local-name(.)='SignatureMethod'] | //*[local-name(.)='Reference']/*[local-name(.)='DigestMethod']"
  for (const method of xpath.selectElements(dom, methods)) {
    const algorithm = method.getAttribute('Algorithm') ?? ''
    if (!/#(rsa-|ecdsa-)?sha(256|384|512)$/.test(algorithm))
      throw new SsoError('callback', `the response is signed by ${algorithm || 'nothing'}; use SHA-256`)
  }
}
