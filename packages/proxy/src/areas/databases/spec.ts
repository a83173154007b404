/** The spec of a database from the fields of the call. The document's own schema checks it. */
import type { DatabaseSpecInput } from '../../core/databases/database.ts'
import { badParameter } from '../../core/errors.ts'

interface AwsRds {
  accountId?: string | null | undefined
  resourceId?: string | null | undefined
}

/** Throws bad parameter. */
export function toAws(awsRds: AwsRds | null | undefined): DatabaseSpecInput['aws'] {
  if (!awsRds) return undefined
  const { accountId, resourceId } = awsRds
  if (!accountId) throw badParameter('missing aws rds field account id')
  if (!resourceId) throw badParameter('missing aws rds field resource id')
  return { account_id: accountId, rds: { resource_id: resourceId } }
}

interface Given {
  protocol?: string
  uri?: string | undefined
  awsRds?: AwsRds | null | undefined
}

export function toSpec({ protocol, uri, awsRds }: Given): DatabaseSpecInput {
  const aws = toAws(awsRds)
  // What is no protocol is refused, by its name, when the document is read.
  return {
    ...(protocol !== undefined && { protocol }),
    ...(uri !== undefined && { uri }),
    ...(aws && { aws }),
  } as DatabaseSpecInput
}
