import { update } from '@sallyport/wire/calls/trusted-clusters.ts'
import type { ResourceItem } from '@sallyport/wire/entities/resource-item.ts'
import { request } from '../../api/page.ts'
import { setAt } from '../../parts/documents/yaml-text.ts'

/** Opens or closes the connection to a root; its document stays. */
export async function setEnabled({ name, content }: ResourceItem, enabled: boolean): Promise<void> {
  await request(update, { params: { name }, body: { content: setAt(content, ['spec', 'enabled'], enabled) } })
}
