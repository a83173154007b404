/** Resources as text: YAML or JSON documents in, YAML with its keys in order out. */
import type { ResourceItem } from '@sallyport/wire/entities/resource-item.ts'
import { stringify } from 'yaml'
import { z } from 'zod'
import { badParameter } from '../errors.ts'
import { parseResource } from './resources.ts'
import type { Resource, ResourceKind } from './resources.ts'
import { readYaml, YamlError } from './yaml.ts'
import type { YamlDocument } from './yaml.ts'

/** A document whose kind is known and whose fields are not checked yet. */
export interface ResourceDocument {
  kind: string
  subKind: string
  version: string | undefined
  name: string
  metadata: unknown
  spec: unknown
  placeOf: YamlDocument['placeOf']
}

const invalid = 'not a valid resource declaration'

/** `''`, null and absent are the same in what other tools write. */
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '')
const envelope = z.strictObject({
  kind: text,
  sub_kind: text,
  version: text,
  metadata: z.record(z.string(), z.unknown()).nullish(),
  spec: z.unknown().optional(),
})

/** The one document of a text. Throws bad parameter. */
export function parseDocument(content: string): ResourceDocument {
  const [document, ...others] = parseDocuments(content)
  if (!document) throw badParameter(`${invalid}: it is empty`)
  if (others.length > 0) throw badParameter(`${invalid}: it holds ${others.length + 1} documents; only one is taken here`)
  return document
}

/** All documents of a text, `---` between them. Throws bad parameter. */
export const parseDocuments = (content: string): ResourceDocument[] => readDocuments(content).map(toDocument)

function readDocuments(content: string): YamlDocument[] {
  try {
    return readYaml(content)
  } catch (cause) {
    if (!(cause instanceof YamlError)) throw cause
    const { message, place } = cause
    throw badParameter(`${invalid}: ${place ? `line ${place.line}, column ${place.column}: ` : ''}${message}`, {
      cause,
      fields: { issues: [{ path: '', message, ...place }] },
    })
  }
}

function toDocument({ value, placeOf }: YamlDocument): ResourceDocument {
  const parsed = envelope.safeParse(value)
  if (!parsed.success) {
    const unknown = parsed.error.issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []))
    const [field] = unknown
    const reason = field === undefined ? 'it must be a map with kind, version, metadata and spec' : `unknown field "${field}"`
    const path = field ?? ''
    throw badParameter(`${invalid}: ${reason}`, { fields: { issues: [{ path, message: reason, ...placeOf(path === '' ? [] : [path]) }] } })
  }
  const { kind, sub_kind: subKind, version, metadata, spec } = parsed.data
  const name = metadata?.['name']
  if (typeof name !== 'string' || name === '') throw badParameter('missing parameter Name')
  return { kind, subKind, version: version === '' ? undefined : version, name, metadata, spec: spec ?? {}, placeOf }
}

/** The one document of a text as a resource of a kind, checked and with its defaults. Throws bad parameter that names the field. */
export function readResource<Spec, SpecInput>(definition: ResourceKind<Spec, SpecInput>, content: string): Resource<Spec> {
  return toResource(definition, parseDocument(content))
}

export function toResource<Spec, SpecInput>(definition: ResourceKind<Spec, SpecInput>, document: ResourceDocument): Resource<Spec> {
  const { kind, version, metadata, spec, placeOf } = document
  if (kind !== definition.kind) throw badParameter(`resource kind "${kind}" is invalid`)
  // What comes from outside has any shape; parseResource is what checks it.
  const input = { metadata, spec, ...(version === undefined ? {} : { version }) } as Parameters<typeof parseResource<Spec, SpecInput>>[1]
  return parseResource(definition, input, placeOf)
}

/** One YAML document; keys of every map in alphabetic order, so that two versions can be compared line by line. */
export function writeResource<Spec, SpecInput>(definition: ResourceKind<Spec, SpecInput>, resource: Resource<Spec>): string {
  const { kind, version, metadata, spec } = resource
  const { name, description, labels, expires, revision } = metadata
  const document = {
    kind,
    ...(definition.subKind !== undefined && { sub_kind: definition.subKind }),
    version,
    metadata: {
      name,
      ...(description === '' ? {} : { description }),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(expires === null ? {} : { expires }),
      ...(revision === '' ? {} : { revision }),
    },
    spec: definition.toDocument?.(spec) ?? spec,
  }
  // `compat` quotes words such as on and yes, which older readers take for booleans.
  return stringify(document, { sortMapEntries: true, lineWidth: 0, aliasDuplicateObjects: false, compat: 'yaml-1.1' })
}

/** A resource as lists and answers carry it. */
export function toResourceItem<Spec, SpecInput>(definition: ResourceKind<Spec, SpecInput>, resource: Resource<Spec>): ResourceItem {
  const { name, description } = resource.metadata
  const content = writeResource(definition, resource)
  return { id: `${resource.kind}:${name}`, kind: resource.kind, name, content, ...(description === '' ? {} : { description }) }
}

/** Refuses a document under the address of another one. */
export function requireSameName(inAddress: string, inDocument: string): void {
  if (inAddress !== inDocument)
    throw badParameter(
      `renaming is not supported: the document is named "${inDocument}", not "${inAddress}"; create a new resource and delete this one`,
    )
}
