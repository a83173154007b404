/** Resources are documents: kind, version, metadata, spec. One table holds them all, one revision guards each. */
import { randomUUID } from 'node:crypto'
import { zeroTime } from '@sallyport/wire/call.ts'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Database } from '../../store/db.ts'
import type { ChangeFeed } from './change-feed.ts'
import type { Clock } from '../clock.ts'
import { alreadyExists, badParameter, compareFailed, notFound } from '../errors.ts'

const label = z.union([z.string(), z.number(), z.boolean()]).transform(String)

export const metadataSchema = z
  .strictObject({
    name: z.string().min(1).max(255),
    description: z
      .string()
      .max(2048)
      .nullish()
      .transform((description) => description ?? ''),
    labels: z
      .record(z.string().min(1).max(255), label)
      .nullish()
      .transform((labels) => labels ?? {}),
    /** RFC 3339; null, absent and the zero time mean never. */
    expires: z.iso
      .datetime({ offset: true })
      .nullish()
      .transform((expires) => (expires === undefined || expires === zeroTime ? null : expires)),
    revision: z.string().max(64).default(''),
    /** Other tools write these; they mean nothing here. */
    id: z.unknown().optional(),
    namespace: z.unknown().optional(),
  })
  .transform(({ id: _id, namespace: _namespace, ...metadata }) => metadata)
export type Metadata = z.output<typeof metadataSchema>

export interface Resource<Spec> {
  readonly kind: string
  readonly version: string
  readonly metadata: Readonly<Metadata>
  readonly spec: Spec
}

/** What a caller hands in: metadata may be as short as `{ name }`. */
export interface ResourceInput<SpecInput> {
  version?: string
  metadata: z.input<typeof metadataSchema>
  spec: SpecInput
}

export interface ResourceKind<Spec, SpecInput> {
  kind: string
  /** What documents of the kind have as `sub_kind`. */
  subKind?: string
  /** Those that are accepted; the first one is what a document without a version gets. */
  versions: readonly [string, ...string[]]
  /** Must accept its own output, for that is what is stored. */
  spec: (version: string) => z.ZodType<Spec, SpecInput>
  /** Why a name cannot be taken. */
  whyNotName?: (name: string) => string | undefined
  existsText: (name: string) => string
  missingText: (name: string) => string
  /** The spec as its document shows it, when that is shorter than what is stored. */
  toDocument?: (spec: Spec) => unknown
}

export interface ResourceStore<Spec, SpecInput> {
  /** Undefined when there is none, or when it has expired. */
  get(name: string): Promise<Resource<Spec> | undefined>
  /** Throws not found. */
  require(name: string): Promise<Resource<Spec>>
  /** By name. */
  list(): Promise<Resource<Spec>[]>
  /** Throws already exists, bad parameter. */
  create(input: ResourceInput<SpecInput>): Promise<Resource<Spec>>
  /** Replaces one. With `metadata.revision` it throws compare failed when somebody else changed it since. Throws not found, bad parameter. */
  update(input: ResourceInput<SpecInput>): Promise<Resource<Spec>>
  /** Throws not found. */
  delete(name: string): Promise<void>
}

export interface ResourceDeps {
  db: Kysely<Database>
  feed: ChangeFeed
  clock: Clock
}

export function createResourceStore<Spec, SpecInput>(
  definition: ResourceKind<Spec, SpecInput>,
  { db, feed, clock }: ResourceDeps,
): ResourceStore<Spec, SpecInput> {
  const { kind } = definition
  const cache = createCache(kind, feed, (names) => readResources(definition, db, names))
  const isLive = ({ metadata }: Resource<Spec>): boolean => metadata.expires === null || Date.parse(metadata.expires) > clock.now()
  const get = async (name: string): Promise<Resource<Spec> | undefined> => {
    const found = (await cache()).get(name)
    return found && isLive(found) ? found : undefined
  }
  const rowOf = ({ version, metadata: { revision, ...metadata }, spec }: Resource<Spec>) => ({
    revision,
    document: JSON.stringify({ version, metadata, spec }),
    expires: metadata.expires === null ? null : Date.parse(metadata.expires),
  })
  const published = (resource: Resource<Spec>): Resource<Spec> => {
    feed.publish({ kind, name: resource.metadata.name, operation: 'put' })
    return resource
  }
  const missing = (name: string) => notFound(definition.missingText(name))

  return {
    get,
    async require(name) {
      const found = await get(name)
      if (!found) throw missing(name)
      return found
    },
    async list() {
      const all = [...(await cache()).values()]
      return all.filter(isLive).toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    },
    async create(input) {
      const resource = withRevision(parseResource(definition, input))
      const { name } = resource.metadata
      const row = rowOf(resource)
      // One that has expired makes room for its successor.
      await db.deleteFrom('resources').where('kind', '=', kind).where('name', '=', name).where('expires', '<=', clock.now()).execute()
      const insert = db
        .insertInto('resources')
        .values({ kind, name, ...row })
        .onConflict((conflict) => conflict.columns(['kind', 'name']).doNothing())
      const [result] = await insert.execute()
      if (!result?.numInsertedOrUpdatedRows) throw alreadyExists(definition.existsText(name))
      return published(resource)
    },
    async update(input) {
      const parsed = parseResource(definition, input)
      const resource = withRevision(parsed)
      const { name } = resource.metadata
      const expected = parsed.metadata.revision
      let update = db.updateTable('resources').set(rowOf(resource)).where('kind', '=', kind).where('name', '=', name)
      if (expected !== '') update = update.where('revision', '=', expected)
      const [result] = await update.execute()
      if (result?.numUpdatedRows) return published(resource)
      throw (await cache()).has(name) ? changedMeanwhile(kind, name) : missing(name)
    },
    async delete(name) {
      const [result] = await db.deleteFrom('resources').where('kind', '=', kind).where('name', '=', name).execute()
      if (!result?.numDeletedRows) throw missing(name)
      feed.publish({ kind, name, operation: 'delete' })
    },
  }
}

const changedMeanwhile = (kind: string, name: string) =>
  compareFailed(`${kind} "${name}" was changed by somebody else meanwhile; read it again and repeat the change`)

/** Throws compare failed when a revision is given and is not that of the resource: what `update` checks, ahead of it. */
export function requireRevision({ kind, metadata }: Resource<unknown>, revision: string): void {
  if (revision !== '' && revision !== metadata.revision) throw changedMeanwhile(kind, metadata.name)
}

const withRevision = <Spec>(resource: Resource<Spec>): Resource<Spec> => ({
  ...resource,
  metadata: { ...resource.metadata, revision: randomUUID() },
})

/** Validates a document of outside. Throws bad parameter that names the fields; `placeOf` tells where in a text they stand. */
export function parseResource<Spec, SpecInput>(
  definition: ResourceKind<Spec, SpecInput>,
  input: ResourceInput<SpecInput>,
  placeOf: (path: readonly PropertyKey[]) => object | undefined = () => undefined,
): Resource<Spec> {
  const version = input.version ?? definition.versions[0]
  if (!definition.versions.includes(version))
    throw badParameter(`${definition.kind} version "${version}" is not supported; use one of ${definition.versions.join(', ')}`)
  const parsed = z
    .object({ metadata: metadataSchema, spec: definition.spec(version) })
    .safeParse({ metadata: input.metadata, spec: input.spec })
  if (!parsed.success) {
    const issues = parsed.error.issues.flatMap(toIssues).slice(0, maxIssues)
    const message = issues.map((issue) => issue.message).join('; ')
    const fields = { issues: issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message, ...placeOf(issue.path) })) }
    throw badParameter(message, { cause: parsed.error, fields })
  }
  const whyNot = definition.whyNotName?.(parsed.data.metadata.name)
  if (whyNot !== undefined) throw badParameter(whyNot)
  return { kind: definition.kind, version, metadata: parsed.data.metadata, spec: parsed.data.spec }
}

/** The first so many mistakes of a document are told. */
const maxIssues = 20

interface Issue {
  path: PropertyKey[]
  message: string
}

function toIssues(issue: z.core.$ZodIssue): Issue[] {
  if (issue.code !== 'unrecognized_keys') return [{ path: issue.path, message: `${issue.path.join('.')}: ${issue.message}` }]
  return issue.keys.map((key) => ({ path: [...issue.path, key], message: `unknown field "${[...issue.path, key].join('.')}"` }))
}

/** Every document of a kind by name, those that have expired as well; from the database, not from a cache. With `names` only those. */
export async function readResources<Spec, SpecInput>(
  definition: ResourceKind<Spec, SpecInput>,
  db: Kysely<Database>,
  names?: readonly string[],
): Promise<Map<string, Resource<Spec>>> {
  const ofKind = db.selectFrom('resources').select(['name', 'revision', 'document']).where('kind', '=', definition.kind)
  const rows = await (names ? ofKind.where('name', 'in', names) : ofKind).execute()
  return new Map(
    rows.map(({ name, revision, document }) => {
      const { version, metadata, spec } = storedDocument.parse(JSON.parse(document))
      const parsed = definition.spec(version).safeParse(spec)
      if (!parsed.success) throw new Error(`the stored ${definition.kind} "${name}" cannot be read`, { cause: parsed.error })
      return [name, { kind: definition.kind, version, metadata: { ...metadata, name, revision }, spec: parsed.data }]
    }),
  )
}
const storedDocument = z.object({ version: z.string(), metadata: metadataSchema, spec: z.custom<never>() })

type ByName<T> = ReadonlyMap<string, T>

/** More names than this are not asked for one by one. */
const maxNames = 500

/** All documents of a kind, read once; after changes, those that changed. */
function createCache<T>(kind: string, feed: ChangeFeed, read: (names?: readonly string[]) => Promise<ByName<T>>): () => Promise<ByName<T>> {
  let current: Promise<ByName<T>> | undefined
  const stale = new Set<string>()
  feed.subscribe((change) => {
    if (change.kind === kind) stale.add(change.name)
  })
  async function renew(before: Promise<ByName<T>>, names: readonly string[]): Promise<ByName<T>> {
    const known = new Map(await before)
    const changed = await read(names)
    for (const name of names) {
      const value = changed.get(name)
      if (value) known.set(name, value)
      else known.delete(name)
    }
    return known
  }
  return () => {
    if (current && stale.size === 0) return current
    const names = [...stale]
    stale.clear()
    const reading = current && names.length <= maxNames ? renew(current, names) : read()
    current = reading
    // A failed read is not kept: the next caller reads everything.
    reading.catch(() => {
      if (current === reading) current = undefined
    })
    return reading
  }
}
